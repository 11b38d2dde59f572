import { refused } from '../../base/refusal.ts'
import { formatMinor } from '../../domain/money.ts'
import type { SandboxOperation } from '../../domain/sandbox/sandbox-operation.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import { NO_ORDER } from './dispute-operations.ts'
import { untilFound, type OperationDeps, type OperationResult } from './operation-ports.ts'

/** Longer than a charge takes to be answered. */
const PATIENCE_MS = 30_000

/** Announces the expiry of an authorization, lets it expire now, and releases the rest. */
export async function expireAuthorization(
  { announceExpiry, release, store }: OperationDeps,
  site: Site,
  orderId: bigint,
): Promise<OperationResult> {
  const order = await store.findOrder(site, orderId)
  if (order === null) return NO_ORDER
  const { authorizedMinor, capturedMinor, currency, expiresAt, releasedAt, voidedMinor } = order
  const openMinor = authorizedMinor - capturedMinor - voidedMinor
  const isOpen = order.state === 'authorized' && releasedAt === null && openMinor > 0n
  if (!isOpen || expiresAt === null) {
    const why = isOpen ? 'does not expire' : 'has nothing left to release'
    const fault = `Order ${orderId} ${why}. Expected an authorization with an uncaptured amount.`
    return refused('conflict', fault, { code: 'nothing_to_expire' })
  }
  const now = site.clock.now()
  await announceExpiry(site, orderId, now)
  await store.expire(site, orderId, now)
  await release(site, orderId)
  const released = formatMinor(openMinor, currency)
  return {
    ok: true,
    report: { order: Number(orderId), state: 'expired', released, currency: currency.code },
  }
}

type ChargeOfMembership = Extract<SandboxOperation, { readonly operation: 'charge-membership' }>

/** Makes a membership due, and charges it; the test bank obeys the words of a test for it. */
export async function chargeMembership(
  deps: OperationDeps,
  site: Site,
  { bankTest, membershipId }: ChargeOfMembership,
): Promise<OperationResult> {
  if (bankTest !== null && site.merchantAccounts.some(({ linkId }) => linkId !== null)) {
    const fault = 'An account of this site reaches another bank than the test bank. Leave test out.'
    return refused('invalid', fault, { field: 'test' })
  }
  const before = await deps.store.lastCharge(membershipId)
  const isDue = await deps.makeDue(site, membershipId, bankTest)
  if (isDue === null) {
    const fault = 'The site has no such membership. Expected the number of one.'
    return refused('missing', fault, { field: 'membership' })
  }
  if (!isDue) {
    const fault =
      `Membership ${membershipId} is over, ends without another charge, or is being charged. ` +
      'Expected one that renews.'
    return refused('conflict', fault, { code: 'nothing_to_charge' })
  }
  const charged = await untilFound(deps, PATIENCE_MS, async () => {
    await deps.chargeDue(site)
    const last = await deps.store.lastCharge(membershipId)
    const isNew = last !== null && last.transactionId !== before?.transactionId
    return isNew && last.outcome !== 'open' ? last : null
  })
  if (charged === null) {
    const fault = `Membership ${membershipId} is due, and its charge has no outcome yet.`
    return refused('conflict', fault, { code: 'charging' })
  }
  const { nextAt, orderId, outcome, reason, state, transactionId } = charged
  return {
    ok: true,
    report: {
      membership: Number(membershipId),
      outcome,
      reason,
      order: Number(orderId),
      transaction: Number(transactionId),
      state,
      next_at: nextAt?.toISOString() ?? null,
    },
  }
}
