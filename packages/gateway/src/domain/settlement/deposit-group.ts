/** An entry of a bank account, as far as its postings need it. */
export interface MatchedEntry {
  readonly id: bigint
  /** In minor units; plus comes into the account. */
  readonly amountMinor: bigint
  /** Whether it was posted before as money that no file announces. */
  readonly isPosted: boolean
}

export interface MatchedPayout {
  readonly id: bigint
  /** In minor units; below zero the acquirer debits the account. */
  readonly netMinor: bigint
}

/** Entries and payouts that belong together. */
export interface DepositGroup {
  /**
   * `deposit`: the entries pay the payouts. `completion`: the entry pays a rest of a short deposit.
   * `return`: the entry returns a deposit.
   */
  readonly kind: 'deposit' | 'completion' | 'return'
  readonly entries: readonly MatchedEntry[]
  readonly payouts: readonly MatchedPayout[]
}

export interface Matching {
  readonly groups: readonly DepositGroup[]
  /** Entries of an acquirer without a payout, and the payouts that a person may choose. */
  readonly unknown: readonly {
    readonly entry: MatchedEntry
    readonly proposal: readonly bigint[]
  }[]
}

export type DepositPostingKind =
  | 'deposit'
  | 'deposit_debited'
  | 'deposit_short'
  | 'deposit_over'
  | 'deposit_unknown'
  | 'debit_unknown'

/** A posting of an entry. Number 0 is of an entry without a payout. */
export interface DepositPosting {
  readonly entryId: bigint
  readonly n: number
  readonly kind: DepositPostingKind
  /** In minor units, above zero. */
  readonly minor: bigint
}

/** An entry with one of its payouts. */
export interface DepositLink {
  readonly entryId: bigint
  readonly n: number
  readonly payoutId: bigint
  readonly kind: 'deposit' | 'supplement' | 'return'
  /** The part of payout_in_transit that it clears. */
  readonly clearedMinor: bigint
}

/** The effects of one group. */
export interface BookedGroup {
  readonly links: readonly DepositLink[]
  readonly postings: readonly DepositPosting[]
  /** A deposit that is not its payout, with both sums; null for none. */
  readonly difference: {
    readonly code: 'payout_short' | 'payout_over'
    readonly entryId: bigint
    readonly payoutId: bigint
    readonly hereMinor: bigint
    readonly bankMinor: bigint
  } | null
}

/** The links and postings of a group. */
export function bookGroup(group: DepositGroup): BookedGroup {
  const booked = group.kind === 'deposit' ? bookDeposit(group) : bookWhole(group)
  const reversals = group.entries.filter(({ isPosted }) => isPosted).map(reverseUnknown)
  return { ...booked, postings: [...reversals, ...booked.postings] }
}

/** The posting of an entry that no file announces; null for one that was posted before. */
export function bookUnknown({ amountMinor, id, isPosted }: MatchedEntry): DepositPosting | null {
  if (isPosted) return null
  const kind = amountMinor > 0n ? 'deposit_unknown' : 'debit_unknown'
  return { entryId: id, n: 0, kind, minor: absolute(amountMinor) }
}

/** The two kinds are each other's reversal: both move money between bank and suspense. */
function reverseUnknown({ amountMinor, id }: MatchedEntry): DepositPosting {
  const kind = amountMinor > 0n ? 'debit_unknown' : 'deposit_unknown'
  return { entryId: id, n: 0, kind, minor: absolute(amountMinor) }
}

/** A completion takes a rest out of suspense; a return brings a deposit back into transit. */
function bookWhole({ entries, kind, payouts }: DepositGroup): BookedGroup {
  const [entry] = entries
  const [payout] = payouts
  if (entry === undefined || payout === undefined) throw new Error('A group is empty.')
  const { amountMinor, id: entryId } = entry
  const to = { entryId, n: 1 }
  const link: DepositLink =
    kind === 'return'
      ? { ...to, payoutId: payout.id, kind, clearedMinor: amountMinor }
      : { ...to, payoutId: payout.id, kind: 'supplement', clearedMinor: 0n }
  const isReturn = kind === 'return'
  const credit = isReturn ? 'deposit' : 'deposit_over'
  const debit = isReturn ? 'deposit_debited' : 'debit_unknown'
  const posting: DepositPosting = {
    ...to,
    kind: amountMinor > 0n ? credit : debit,
    minor: absolute(amountMinor),
  }
  return { links: [link], postings: [posting], difference: null }
}

/** An entry with a payout: what it pays of it, what is missing, and what is too much. */
interface Pair {
  readonly entryId: bigint
  readonly n: number
  readonly payoutId: bigint
  readonly paid: bigint
  short: bigint
  over: bigint
}

/**
 * Pours the entries into the payouts in their sequence. Only a single payout can be short or have
 * too much: several payouts have exactly the sum of their entries.
 */
function bookDeposit({ entries, payouts }: DepositGroup): BookedGroup {
  const hereMinor = payouts.reduce((sum, { netMinor }) => sum + netMinor, 0n)
  const bankMinor = entries.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)
  const pairs = pourEntries(entries, payouts)
  const isIncoming = hereMinor > 0n
  const links = pairs.map(({ entryId, n, paid, payoutId, short }): DepositLink => {
    const cleared = paid + short
    const kind = cleared === 0n ? 'supplement' : 'deposit'
    return { entryId, n, payoutId, kind, clearedMinor: isIncoming ? cleared : -cleared }
  })
  const postings = pairs.flatMap((pair) => pairPostings(pair, isIncoming))
  const last = pairs.at(-1)
  if (bankMinor === hereMinor || last === undefined) return { links, postings, difference: null }
  const code = bankMinor < hereMinor ? 'payout_short' : 'payout_over'
  const { entryId, payoutId } = last
  return { links, postings, difference: { code, entryId, payoutId, hereMinor, bankMinor } }
}

function pourEntries(
  entries: readonly MatchedEntry[],
  payouts: readonly MatchedPayout[],
): readonly Pair[] {
  const pairs: Pair[] = []
  const rests = payouts.map(({ id, netMinor }) => ({ id, minor: absolute(netMinor) }))
  for (const { amountMinor, id: entryId } of entries) {
    let left = absolute(amountMinor)
    let n = 1
    for (const rest of rests) {
      const paid = least(left, rest.minor)
      if (paid === 0n) continue
      pairs.push({ entryId, n, payoutId: rest.id, paid, short: 0n, over: 0n })
      rest.minor -= paid
      left -= paid
      n += 1
    }
    const payoutId = payouts.at(-1)?.id ?? 0n
    if (left > 0n && n === 1) pairs.push({ entryId, n, payoutId, paid: 0n, short: 0n, over: left })
    else if (left > 0n) addTo(pairs.at(-1), 'over', left)
  }
  for (const { minor } of rests) addTo(pairs.at(-1), 'short', minor)
  return pairs
}

function addTo(pair: Pair | undefined, part: 'over' | 'short', minor: bigint): void {
  if (pair !== undefined) pair[part] += minor
}

/**
 * The postings of one entry to one payout. A debit of the account that is smaller than announced is
 * money over; a larger one takes more from the account than announced.
 */
function pairPostings(
  { entryId, n, over, paid, short }: Pair,
  isIncoming: boolean,
): DepositPosting[] {
  const parts: readonly (readonly [DepositPostingKind, bigint])[] = isIncoming
    ? [
        ['deposit', paid],
        ['deposit_short', short],
        ['deposit_over', over],
      ]
    : [
        ['deposit_debited', paid + short],
        ['deposit_over', short],
        ['debit_unknown', over],
      ]
  return parts
    .filter(([, minor]) => minor > 0n)
    .map(([kind, minor]) => ({ entryId, n, kind, minor }))
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

function absolute(minor: bigint): bigint {
  return minor < 0n ? -minor : minor
}
