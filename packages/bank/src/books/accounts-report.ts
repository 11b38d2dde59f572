import type { AccountIds } from '../issuer/account-ids.ts'
import type { Balance } from '../issuer/balance.ts'
import { TEST_CARDS } from '../test-data/test-cards.ts'
import type { Books } from './books.ts'
import { heldOf, stateOf, type Remembered } from './order.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * The most other accounts, and the most lines of a statement, that a report has: the latest ones.
 */
const SHOWN = 200

/**
 * Test cards, and other cards with an approval of one of the merchants (DE 42), with their money in
 * each currency. Amounts are minor units as text. A test card is named by its number's
 * first six and last four digits, any other by the last four alone.
 */
export function reportAccounts(
  books: Books,
  accountIds: AccountIds,
  merchants: ReadonlySet<string>,
): readonly Json[] {
  const balances = Map.groupBy(books.balances.values(), ({ account }) => account)
  const testCards = TEST_CARDS.map(({ pan, meaning, state, funds, limits }) => {
    const id = accountIds.idOf(pan)
    return {
      id,
      first6: pan.slice(0, 6),
      last4: pan.slice(-4),
      meaning,
      status: state ?? 'open',
      funds:
        funds === undefined ? null : { opening: String(funds.opening), restored: funds.restored },
      limits: {
        perTransaction: limits?.perTransaction === undefined ? null : String(limits.perTransaction),
        perDay: limits?.perDay === undefined ? null : String(limits.perDay),
        approvalsPerDay: limits?.approvalsPerDay ?? null,
      },
      balances: (balances.get(id) ?? []).map(showBalance),
    }
  })
  const known = new Set(testCards.map(({ id }) => id))
  const used = new Map<string, string>()
  for (const [, entry] of books.messages.all()) {
    if (!isOf(entry, merchants) || known.has(entry.balance.account)) continue
    // The latest stands last.
    used.delete(entry.balance.account)
    used.set(entry.balance.account, entry.balance.last4)
  }
  const others = [...used].slice(-SHOWN).map(([id, last4]) => ({
    id,
    first6: null,
    last4,
    meaning: 'no test card: unlimited funds',
    status: 'open',
    funds: null,
    limits: { perTransaction: null, perDay: null, approvalsPerDay: null },
    balances: (balances.get(id) ?? []).map(showBalance),
  }))
  return [...testCards, ...others.toReversed()]
}

/** The movements of one account with the merchants, the latest first, with what is still held. */
export function reportStatement(
  books: Books,
  account: string,
  merchants: ReadonlySet<string>,
): readonly Json[] {
  const lines: Json[] = []
  for (const [key, entry, day] of books.messages.all()) {
    if (!isOf(entry, merchants) || entry.balance.account !== account) continue
    const { currency } = entry.balance
    if (entry.kind === 'auth') {
      lines.push({
        key,
        day,
        kind: 'authorization',
        state: stateOf(entry),
        currency,
        amountMinor: String(entry.authorized),
        heldMinor: String(heldOf(entry)),
        capturedMinor: String(entry.captured),
        refundedMinor: String(entry.refunded),
      })
    } else {
      lines.push({
        key,
        day,
        kind: entry.kind,
        state: 'booked',
        currency,
        amountMinor: String(entry.amount),
        heldMinor: '0',
        capturedMinor: '0',
        refundedMinor: '0',
      })
    }
  }
  return lines.slice(-SHOWN).toReversed()
}

function isOf(
  entry: Remembered,
  merchants: ReadonlySet<string>,
): entry is Exclude<Remembered, { readonly kind: 'closed' | 'tombstone' }> {
  return entry.kind !== 'closed' && entry.kind !== 'tombstone' && merchants.has(entry.merchant)
}

function showBalance({
  currency,
  available,
  held,
  ledger,
  day,
  approvedToday,
  approvalsToday,
}: Balance): Json {
  return {
    currency,
    availableMinor: String(available),
    heldMinor: String(held),
    ledgerMinor: String(ledger),
    day,
    approvedMinor: String(approvedToday),
    approvals: approvalsToday,
  }
}
