import assert from 'node:assert/strict'
import { findCurrency } from '../../../src/domain/currency.ts'
import type { Period, PeriodMetric } from '../../../src/domain/memberships/calendar.ts'
import { startMembership } from '../../../src/domain/memberships/membership.ts'
import type { Membership, MembershipProduct } from '../../../src/domain/memberships/membership.ts'
import type { NextAttempt } from '../../../src/domain/memberships/next-attempt.ts'
import type { ProductType } from '../../../src/domain/memberships/product.ts'
import { concludeCharge, decideDue } from '../../../src/domain/memberships/renewal.ts'
import type { CatchUp, ChargeOutcome, Conclusion } from '../../../src/domain/memberships/renewal.ts'
import type { MembershipDecision } from '../../../src/domain/memberships/requested-changes.ts'

export const CARD = 7n
export const RETRY_DAYS = [1, 3, 5, 7]
export const DAY_MS = 86_400_000

/** `product('1M')` renews each month for 9.99 USD. */
export function product(
  period: string,
  change: { type?: ProductType; minor?: bigint; currency?: string; productId?: string } = {},
): MembershipProduct {
  const currency = findCurrency(change.currency ?? 'USD')
  assert.ok(currency)
  return {
    productId: change.productId ?? `P-${period}`,
    type: change.type ?? 'renews',
    period: readPeriod(period),
    price: { minor: change.minor ?? 999n, currency },
  }
}

/** One that began on 31 January 2026 at 08:00. */
export function monthly(): Membership {
  return startMembership(product('1M'), CARD, utc('2026-01-31 08:00'))
}

/** One whose renewal of 28 February was started. */
export function underCharge(): Membership {
  return begun(monthly(), utc('2026-02-28 08:00'))
}

/** One whose renewal of 28 February was declined, with retries to come. */
export function pastDue(): Membership {
  return fail(underCharge(), soon()).membership
}

export function begun(membership: Membership, now: Date, catchUp: CatchUp = 'once'): Membership {
  const decision = decideDue(membership, now, catchUp)
  assert.equal(decision.kind, 'charge')
  return decision.membership
}

export function approve(membership: Membership): Membership {
  return conclude(membership, { kind: 'approved' }).membership
}

export function fail(membership: Membership, retry: NextAttempt): Conclusion {
  return conclude(membership, { kind: 'failed', retry })
}

export function conclude(membership: Membership, outcome: ChargeOutcome): Conclusion {
  return concludeCharge(membership, outcome, RETRY_DAYS)
}

/** The decision of the network's rules after a decline that may be retried. */
export function soon(at = new Date(0)): NextAttempt {
  return { kind: 'allowed', at, reason: 'Not now.' }
}

export function allowed(decision: MembershipDecision): Membership {
  assert.equal(decision.kind, 'allowed')
  return decision.membership
}

/** '2026-02-28 08:00', in UTC. */
export function utc(text: string): Date {
  return new Date(`${text.replace(' ', 'T')}:00Z`)
}

/** 'renewal 2026-02-28 08:00', or 'nothing'. */
export function nextOf({ next }: Pick<Membership, 'next'>): string {
  return next === null ? 'nothing' : `${next.kind} ${shown(next.at)}`
}

export function shown(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ')
}

function readPeriod(text: string): Period {
  const match = /^(\d+)([DMY])$/.exec(text)
  assert.ok(match)
  return { metric: match[2] as PeriodMetric, length: Number(match[1]) }
}
