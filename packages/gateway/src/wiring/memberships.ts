import { createRenewalStore } from '../adapters/postgres/memberships/membership-charge-store.ts'
import { createDirectory } from '../adapters/postgres/merchants/directory.ts'
import { withNewCardData } from '../domain/memberships/wishes.ts'
import type { Job } from '../jobs/worker.ts'
import type { DueSource } from '../usecases/clocks/due-source.ts'
import type { RenewalReport } from '../usecases/memberships/charge-renewal.ts'
import { createDueRenewals } from '../usecases/memberships/due-renewals.ts'
import { changeMembershipsOfCard } from '../usecases/memberships/memberships-of-card.ts'
import {
  renewMemberships,
  type RenewMembershipsDeps,
} from '../usecases/memberships/renew-memberships.ts'
import type { RenewalStore } from '../usecases/memberships/renewal-store.ts'
import type { AdjustOrder } from '../usecases/payments/adjustment-command.ts'
import type { TakePayment } from '../usecases/payments/payment-command.ts'
import { pause, type Foundation } from './foundation.ts'

const RENEW_EVERY_MS = 1_000
/** Beyond the bank's time-out and the time in which what it said is written down. */
const LEASE_MARGIN_SECONDS = 35

export interface Memberships {
  /** What is due by clocks of test sites. */
  readonly due: DueSource
  readonly jobs: readonly Job[]
}

/** Where charges of memberships are kept. */
export function wireRenewalStore({
  config,
  database,
  ids,
  logger,
}: Foundation): ReturnType<typeof createRenewalStore> {
  const leaseSeconds = Math.ceil(config.bankTimeoutMs / 1_000) + LEASE_MARGIN_SECONDS
  return createRenewalStore(database, {
    nextId: ids.next,
    leaseSeconds,
    onFault: (membershipId, error) =>
      logger.error(
        { membership: membershipId.toString(), error: String(error) },
        'a membership that is due can not be charged: it stays due',
      ),
  })
}

/** A renewal that waits for another expiry of its card is tried at once; the job charges it. */
export function retryWithNewExpiry(
  { logger }: Foundation,
  store: RenewalStore,
): (cardId: bigint, at: Date) => Promise<void> {
  return async (cardId, at) => {
    try {
      await changeMembershipsOfCard(store, cardId, 0n, (membership) =>
        withNewCardData(membership, at),
      )
    } catch (error) {
      // The payment that brought the expiry is done, and nobody may be told that it failed.
      logger.warn(
        { error: String(error) },
        'renewals that wait for a new expiry could not be told of it',
      )
    }
  }
}

/** Memberships that are due: charged by whichever process comes to them. */
export function wireMemberships(
  foundation: Foundation,
  parts: {
    readonly takePayment: TakePayment
    readonly adjustOrder: AdjustOrder
    readonly store: RenewalStore
  },
): Memberships {
  const { clock, config, database, ids, logger, metrics, monotonicMs } = foundation
  const directory = createDirectory(database.pool, monotonicMs, config.apiUserIdleDays, clock)
  const renewals: RenewMembershipsDeps = {
    ...parts,
    monotonicMs,
    pause,
    readSite: async (merchantId, siteId) =>
      directory.recallSite(merchantId, siteId) ?? directory.readSite(merchantId, siteId),
    nextRequestId: () => ids.next('request'),
    onCharged: (report) => {
      metrics.countRenewal(report.outcome.replaceAll(' ', '_'))
      logger[levelOf(report)](logged(report), 'a membership was charged')
    },
    onOver: (count) =>
      logger.info({ memberships: count }, 'memberships are over: their time was up'),
    onTrouble: (membershipId, error) =>
      logger.error(
        { membership: membershipId.toString(), error: String(error) },
        'what became of the charge of a membership is not known: it is looked at again',
      ),
  }
  metrics.watchRenewals(() => parts.store.overdueSeconds(clock.now()))
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
