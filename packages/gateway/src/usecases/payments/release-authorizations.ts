import type { Clock } from '../../base/clock.ts'
import { invariant } from '../../base/invariant.ts'
import { decideVoid } from '../../domain/payments/order.ts'
import type { SiteInMode, SiteInTime } from '../merchants/merchant-directory.ts'
import type { AdjustmentPlan, AdjustmentStore, LockedOrder } from './adjustment-store.ts'
import { wholeSecond, type IdKind } from './payment-intent.ts'
import { planReversals } from './plan-reversals.ts'

/** An order whose authorization has expired by its site's clock. */
export interface ExpiredOrder {
  readonly site: SiteInTime
  readonly orderId: bigint
}

export interface ReleaseAuthorizationsDeps {
  readonly findExpired: (
    now: Date,
    limit: number,
  ) => Promise<readonly { readonly site: SiteInMode; readonly orderId: bigint }[]>
  readonly store: AdjustmentStore
  /** The machine's. */
  readonly clock: Clock
  readonly nextId: (kind: IdKind) => bigint | Promise<bigint>
  readonly adviceQueued: () => void
}

const GROUP_SIZE = 64

/**
 * Releases at the bank what was authorized and not captured in time, at sites that go by the
 * machine's clock. The order keeps what was captured; nothing more can be. True when there may be
 * more.
 */
export async function releaseAuthorizations(deps: ReleaseAuthorizationsDeps): Promise<boolean> {
  const expired = await deps.findExpired(deps.clock.now(), GROUP_SIZE)
  const { clock } = deps
  await releaseOrders(
    deps,
    expired.map(({ site, orderId }) => ({ site: { ...site, clock }, orderId })),
  )
  return expired.length === GROUP_SIZE
}

/** The same for orders that were found already; harmless for those that were released meanwhile. */
export async function releaseOrders(
  deps: Omit<ReleaseAuthorizationsDeps, 'findExpired'>,
  expired: readonly ExpiredOrder[],
): Promise<void> {
  await Promise.all(
    expired.map(({ site, orderId }) =>
      deps.store.adjust(site, orderId, (order) => planRelease(deps, site, order), null),
    ),
  )
  if (expired.length > 0) deps.adviceQueued()
}

async function planRelease(
  deps: Omit<ReleaseAuthorizationsDeps, 'findExpired'>,
  site: SiteInTime,
  order: LockedOrder | null,
): Promise<AdjustmentPlan | null> {
  if (order === null || !order.snapshot.expired) return null
  const { snapshot } = order
  const { authorizedMinor, capturedMinor, voidedMinor } = snapshot.money
  const openMinor = authorizedMinor - capturedMinor - voidedMinor
  const at = site.clock.now()
  const nothing = {
    transaction: null,
    capturedDelta: 0n,
    refundedDelta: 0n,
    reversedWhole: false,
    releases: true,
    captureVoids: [],
    at,
  } as const
  if (openMinor === 0n) return { ...nothing, voidedDelta: 0n, lines: [], advices: [] }
  // Disputes are about captured money, which stays as it is.
  const decision = decideVoid(
    { ...snapshot, disputedMinor: 0n },
    { amountMinor: openMinor, lineId: null },
  )
  invariant(decision.kind === 'allowed', 'the open rest of an order could not be released')
  return {
    ...nothing,
    voidedDelta: openMinor,
    lines: decision.uncapturedLines.map(({ lineId, minor }) => ({
      lineId,
      shownId: lineId,
      amountMinor: minor,
      capturedDelta: 0n,
      voidedDelta: minor,
      refundedDelta: 0n,
    })),
    advices: await planReversals(deps, order, decision, 'expired', wholeSecond(deps.clock.now())),
  }
}
