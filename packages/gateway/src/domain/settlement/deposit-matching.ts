import { bankDaysBetween } from './bank-days.ts'
import type { DepositGroup, MatchedEntry, MatchedPayout, Matching } from './deposit-group.ts'
import { namesPayout, namesPayoutCutDown, type PayoutNames } from './deposit-naming.ts'

/** An entry of an acquirer that has no payout yet. */
export interface UnmatchedEntry extends MatchedEntry {
  /** ISO 8601 date. */
  readonly bookedOn: string
  /** Without white space. */
  readonly texts: readonly string[]
  readonly sources: readonly bigint[]
  /** Whether a text has the form of the acquirer's references. */
  readonly hasReference: boolean
  /** The last characters of the account's number. */
  readonly last4: string
}

/** A payout that an entry may pay, complete or return. */
export interface OpenPayout extends MatchedPayout, PayoutNames {
  readonly sourceId: bigint
  readonly state: 'announced' | 'deposited'
  /** ISO 8601 dates. */
  readonly valueDate: string
  readonly arrives: string | null
  /** The last characters of the account that it goes to; null where the file has none. */
  readonly last4: string | null
  /** The bank still lacks this by an open `payout_short`, in minor units; 0n for none. */
  readonly missingMinor: bigint
}

/** A deposit without a name is sought for so many bank days after the expected one. */
export const LATE_BANK_DAYS = 5

/**
 * Matches entries of one merchant and currency with payouts. A name decides first: the trace id or
 * the id of the payout in the texts. An entry without one is matched by its amount, if exactly one
 * payout fits it, and exactly one entry the payout. Everything else is left to a person.
 * @param entries by the day of the booking
 */
export function matchDeposits(
  entries: readonly UnmatchedEntry[],
  payouts: readonly OpenPayout[],
  currency: string,
): Matching {
  const groups: DepositGroup[] = []
  const done = new Set<bigint>()
  const take = (group: DepositGroup): void => {
    groups.push(group)
    for (const { id } of group.entries) done.add(id)
  }
  const named = new Map(entries.map((entry) => [entry.id, namedPayouts(entry, payouts)]))
  const isOpen = ({ id }: UnmatchedEntry): boolean => !done.has(id)
  for (const group of groupByName(entries, named)) take(group)
  for (const entry of entries.filter(isOpen)) {
    const payout = completed(entry, named.get(entry.id) ?? [], groups)
    if (payout !== null) take({ kind: 'completion', entries: [entry], payouts: [payout] })
  }
  for (const entry of entries.filter(isOpen)) {
    const payout = returned(entry, named.get(entry.id) ?? [], groups)
    if (payout !== null) take({ kind: 'return', entries: [entry], payouts: [payout] })
  }
  const paid = new Set(groups.flatMap((group) => group.payouts.map(({ id }) => id)))
  const waiting = payouts.filter(({ id, state }) => state === 'announced' && !paid.has(id))
  const nameless = entries.filter((each) => isOpen(each) && named.get(each.id)?.length === 0)
  const fitting = new Map(
    nameless.map((entry) => [
      entry.id,
      waiting.filter((payout) => fitsByAmount(entry, payout, currency)),
    ]),
  )
  for (const entry of nameless) {
    const [payout, other] = fitting.get(entry.id) ?? []
    if (payout === undefined || other !== undefined) continue
    const rivals = [...fitting.values()].filter((each) => each.includes(payout))
    if (rivals.length === 1) take({ kind: 'deposit', entries: [entry], payouts: [payout] })
  }
  const unknown = entries.filter(isOpen).map((entry) => ({
    entry,
    proposal: [...(named.get(entry.id) ?? []), ...(fitting.get(entry.id) ?? [])].map(
      ({ id }) => id,
    ),
  }))
  return { groups, unknown }
}

/**
 * The payouts that an entry names. One with the amount of the entry counts if the sum does not.
 * A name that was cut down as a possible card number counts with the amount only.
 */
function namedPayouts(
  entry: UnmatchedEntry,
  payouts: readonly OpenPayout[],
): readonly OpenPayout[] {
  const named = payouts.filter(
    (payout) =>
      namesPayout(entry.texts, payout) ||
      (isSameSum(entry, payout) && namesPayoutCutDown(entry.texts, payout)),
  )
  if (sumOf(named) === entry.amountMinor) return named
  const alike = named.filter(({ netMinor }) => netMinor === entry.amountMinor)
  return alike.length === 1 ? alike : named
}

/** A return has the amount of its payout in the other direction. */
function isSameSum({ amountMinor }: UnmatchedEntry, { netMinor }: OpenPayout): boolean {
  return amountMinor === netMinor || amountMinor === -netMinor
}

/**
 * Entries and announced payouts that name each other. One payout may have several entries of any
 * sum. Several payouts need entries of exactly their sum.
 */
function groupByName(
  entries: readonly UnmatchedEntry[],
  named: ReadonlyMap<bigint, readonly OpenPayout[]>,
): DepositGroup[] {
  const groups: { entries: UnmatchedEntry[]; payouts: Set<OpenPayout> }[] = []
  for (const entry of entries) {
    const payouts = (named.get(entry.id) ?? []).filter(
      ({ netMinor, state }) => state === 'announced' && netMinor > 0n === entry.amountMinor > 0n,
    )
    if (payouts.length === 0) continue
    const joined = groups.filter((group) => payouts.some((payout) => group.payouts.has(payout)))
    const group = {
      entries: [...joined.flatMap((each) => each.entries), entry],
      payouts: new Set([...joined.flatMap((each) => [...each.payouts]), ...payouts]),
    }
    for (const each of joined) groups.splice(groups.indexOf(each), 1)
    groups.push(group)
  }
  return groups
    .map((group) => ({ entries: group.entries, payouts: [...group.payouts] }))
    .filter(
      ({ entries: these, payouts }) =>
        payouts.length === 1 ||
        sumOf(payouts) === these.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
    )
    .map((group) => ({ kind: 'deposit', ...group }))
}

/** The payout whose short deposit an entry completes at most; null for none. */
function completed(
  { amountMinor }: UnmatchedEntry,
  named: readonly OpenPayout[],
  groups: readonly DepositGroup[],
): OpenPayout | null {
  const [payout, other] = named.filter(({ missingMinor }) => missingMinor !== 0n)
  if (payout === undefined || other !== undefined) return null
  // A second entry in one import sees the difference as it was before the first.
  if (groups.some((group) => group.kind === 'completion' && group.payouts.includes(payout))) {
    return null
  }
  return amountMinor > 0n && amountMinor <= payout.missingMinor ? payout : null
}

/** The deposited payout that an entry returns in full; null for none. */
function returned(
  { amountMinor }: UnmatchedEntry,
  named: readonly OpenPayout[],
  groups: readonly DepositGroup[],
): OpenPayout | null {
  const isHere = (payout: OpenPayout): boolean =>
    payout.state === 'deposited' ||
    groups.some(({ kind, payouts }) => kind === 'deposit' && payouts.includes(payout))
  const isBack = (payout: OpenPayout): boolean =>
    groups.some(({ kind, payouts }) => kind === 'return' && payouts.includes(payout))
  const [payout, other] = named.filter(
    (each) => each.netMinor === -amountMinor && isHere(each) && !isBack(each),
  )
  return payout === undefined || other !== undefined ? null : payout
}

/**
 * Whether a payout may be the one of an entry without its name. Amount and acquirer are the same,
 * and the entry is booked within the days in which the payout is expected.
 */
function fitsByAmount(entry: UnmatchedEntry, payout: OpenPayout, currency: string): boolean {
  const isNamedOtherwise = entry.hasReference && (payout.trace ?? payout.payout) !== null
  const expected = payout.arrives ?? payout.valueDate
  return (
    entry.amountMinor === payout.netMinor &&
    entry.sources.includes(payout.sourceId) &&
    // The reference of the entry is that of another payout.
    !isNamedOtherwise &&
    (payout.last4 === null || payout.last4 === entry.last4) &&
    entry.bookedOn >= payout.valueDate &&
    bankDaysBetween(expected, entry.bookedOn, currency) <= LATE_BANK_DAYS
  )
}

function sumOf(payouts: readonly OpenPayout[]): bigint {
  return payouts.reduce((sum, { netMinor }) => sum + netMinor, 0n)
}
