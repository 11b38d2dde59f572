import { createDirectory } from './adapters/postgres/directory.ts'
import { createRenewalStore } from './adapters/postgres/membership-charge-store.ts'
import { pause, type Foundation } from './gateway-foundation.ts'
import type { Job } from './jobs/worker.ts'
import type { AdjustOrder } from './usecases/adjustment-command.ts'
import type { RenewalReport } from './usecases/memberships/charge-renewal.ts'
import { createDueRenewals } from './usecases/memberships/due-renewals.ts'
import { renewMemberships, type RenewMembershipsDeps } from './usecases/memberships/renew-memberships.ts'
import type { TakePayment } from './usecases/payment-command.ts'
import type { DueSource } from './usecases/site-clock/due-source.ts'

const RENEW_EVERY_MS = 1_000
/** A payment that was begun ends within 30 seconds; what takes longer is looked at by another. */
const LEASE_SECONDS = 60

export interface Memberships {
  /** What is due by clocks of test sites. */
  readonly due: DueSource
  readonly jobs: readonly Job[]
  /** Resolves when nothing is being written. */
  idle(): Promise<void>
}

/** Memberships that are due: charged by whichever process comes to them. */
export function wireMemberships(
  foundation: Foundation,
  payments: { readonly takePayment: TakePayment; readonly adjustOrder: AdjustOrder },
): Memberships {
  const { clock, config, database, ids, logger, metrics, monotonicMs } = foundation
  const store = createRenewalStore(database, { nextId: ids.next, leaseSeconds: LEASE_SECONDS })
  const directory = createDirectory(database.pool, monotonicMs, config.apiUserIdleDays, clock)
  const renewals: RenewMembershipsDeps = {
    ...payments,
    store,
    monotonicMs,
    pause,
    readSite: async (merchantId, siteId) =>
      directory.recallSite(merchantId, siteId) ?? directory.readSite(merchantId, siteId),
    nextRequestId: () => ids.next('request'),
    onCharged: (report) => {
      metrics.countRenewal(report.outcome.replaceAll(' ', '_'))
      logger[levelOf(report)](logged(report), 'a membership was charged')
    },
    onOver: (count) => logger.info({ memberships: count }, 'memberships are over: their time was up'),
    onTrouble: (membershipId, error) =>
      logger.error(
        { membership: membershipId.toString(), error: String(error) },
        'what became of the charge of a membership is not known: it is looked at again',
      ),
  }
  metrics.watchRenewals(() => store.overdueSeconds(clock.now()))
  return {
    due: createDueRenewals(renewals),
    jobs: [
      {
        name: 'renew memberships',
        everyMs: RENEW_EVERY_MS,
        // Who stood still charges once for all that was missed.
        run: async () => {
          const scope = 'sites without a clock of their own'
          return (await renewMemberships(renewals, scope, clock.now(), 'once')).more
        },
      },
    ],
    idle: store.idle,
  }
}

/** What goes as planned is one line of thousands. */
function levelOf({ outcome }: RenewalReport): 'debug' | 'info' {
  return outcome === 'approved' ? 'debug' : 'info'
}

function logged({ membershipId, siteId, dueAt, ...rest }: RenewalReport): object {
  return {
    membership: membershipId.toString(),
    site: siteId.toString(),
    dueAt: dueAt.toISOString(),
    ...rest,
  }
}
