import { inTime } from '../adapters/metrics/in-time.ts'
import { createRenewalStore } from '../adapters/postgres/memberships/membership-charge-store.ts'
import {
  createMembershipStore,
  createPlanTest,
} from '../adapters/postgres/memberships/membership-store.ts'
import { createMembershipSales } from '../adapters/postgres/memberships/product-store.ts'
import { createDirectory } from '../adapters/postgres/merchants/directory.ts'
import { withNewCardData } from '../domain/memberships/requested-changes.ts'
import type { DueSource } from '../usecases/clocks/due-source.ts'
import {
  createChangeMembership,
  type ChangeMembership,
} from '../usecases/memberships/change-membership.ts'
import type { RenewalReport } from '../usecases/memberships/charge-renewal.ts'
import { createDueRenewals } from '../usecases/memberships/due-renewals.ts'
import { createMakeDue, type MakeDue } from '../usecases/memberships/make-due.ts'
import type { MembershipStore } from '../usecases/memberships/membership-store.ts'
import { changeMembershipsOfCard } from '../usecases/memberships/memberships-of-card.ts'
import {
  renewMemberships,
  type RenewMembershipsDeps,
} from '../usecases/memberships/renew-memberships.ts'
import type { RenewalStore } from '../usecases/memberships/renewal-store.ts'
import type { MembershipSales } from '../usecases/memberships/sold-memberships.ts'
import type { Site } from '../usecases/merchants/merchant-directory.ts'
import type { AdjustOrder } from '../usecases/payments/adjustment-command.ts'
import type { TakePayment } from '../usecases/payments/payment-command.ts'
import type { CardVault } from '../usecases/vault/card-vault.ts'
import { pause, type Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import type { GatewayPorts } from './ports.ts'
import type { Traces } from './traces.ts'

const RENEW_EVERY_MS = 1_000
const UNCLOCKED = 'sites without a clock of their own'
/** Beyond the bank's time-out and the time in which what it said is written down. */
const LEASE_MARGIN_SECONDS = 35

export interface Memberships extends Part {
  readonly uses: {
    readonly changeMembership: ChangeMembership
    readonly findMembership: MembershipStore['find']
  }
  /** Due memberships by clocks of test sites. */
  readonly due: DueSource
  /** Makes memberships of test sites due, and charges them. */
  readonly operations: {
    readonly makeDue: MakeDue
    readonly chargeDue: (site: Site) => Promise<void>
  }
}

/** Stores that sell and charge memberships; payments need them before memberships are wired. */
export interface MembershipStores {
  readonly sales: MembershipSales
  readonly renewals: ReturnType<typeof createRenewalStore>
}

export function wireMembershipStores({
  config,
  database,
  ids,
  logger,
}: Foundation): MembershipStores {
  const leaseSeconds = Math.ceil(config.bankTimeoutMs / 1_000) + LEASE_MARGIN_SECONDS
  return {
    sales: createMembershipSales(database.byKey),
    renewals: createRenewalStore(database, {
      nextId: ids.next,
      leaseSeconds,
      onFault: (membershipId, error) =>
        logger.error(
          { membership: membershipId.toString(), error: String(error) },
          'a due membership cannot be charged: it stays due',
        ),
    }),
  }
}

/** A renewal that waits for another expiry of its card is tried at once; the job charges it. */
export function retryWithNewExpiry(
  { logger }: Foundation,
  store: RenewalStore,
): (cardId: bigint, at: Date) => Promise<void> {
  return async (cardId, at) => {
    try {
      await changeMembershipsOfCard(store, cardId, 0n, at, (membership) =>
        withNewCardData(membership, at),
      )
    } catch (error) {
      // The payment that brought the expiry is done, and must not be reported as failed.
      logger.warn(
        { error: String(error) },
        'renewals that wait for a new expiry could not be notified of it',
      )
    }
  }
}

/** The dependencies of membership changes and charges. */
export interface MembershipNeeds {
  readonly stores: MembershipStores
  readonly ports: Pick<GatewayPorts, 'payments' | 'renewals'>
  readonly vault: CardVault
  readonly takePayment: TakePayment
  readonly adjustOrder: AdjustOrder
  readonly traces: Pick<Traces, 'renewals'>
}

/** Changes of memberships, and those that are due: charged by whichever process comes to them. */
export function wireMemberships(foundation: Foundation, needs: MembershipNeeds): Memberships {
  const { stores, ports, vault, takePayment, adjustOrder, traces } = needs
  const { clock, config, database, ids, logger, metrics, monotonicMs } = foundation
  const directory = createDirectory(database.pool, monotonicMs, config.apiUserIdleDays, clock)
  const renewals: RenewMembershipsDeps = {
    takePayment,
    adjustOrder,
    recorded: traces.renewals,
    store: ports.renewals,
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
      logger.info({ memberships: count }, 'memberships have ended with their paid period'),
    onTrouble: (membershipId, error) =>
      logger.error(
        { membership: membershipId.toString(), error: String(error) },
        'the outcome of a renewal charge is unknown: it is checked again',
      ),
  }
  metrics.watchRenewals(inTime(() => ports.renewals.overdueSeconds(clock.now())))
  const store = createMembershipStore(database.pool)
  const products = stores.sales
  const cards = ports.payments
  const change = { store, products, cards, vault, monotonicMs, pause }
  return {
    uses: { changeMembership: createChangeMembership(change), findMembership: store.find },
    due: createDueRenewals(renewals),
    operations: {
      makeDue: createMakeDue(store, createPlanTest(database.pool)),
      async chargeDue({ hasOwnClock, clock: now, id }) {
        const scope = hasOwnClock ? { id, mode: 'test' as const } : UNCLOCKED
        await renewMemberships(renewals, scope, now.now(), hasOwnClock ? 'each' : 'once')
      },
    },
    jobs: [
      {
        name: 'renew memberships',
        everyMs: RENEW_EVERY_MS,
        // A membership with missed periods is charged once for all of them.
        run: async () => {
          return (await renewMemberships(renewals, UNCLOCKED, clock.now(), 'once')).more
        },
      },
    ],
    stop: stores.renewals.idle,
  }
}

/** A renewal that goes as planned is one line of thousands. */
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
