import { refused, type Result } from '../../base/refusal.ts'
import { bookGroup, bookUnknown, type Matching } from '../../domain/settlement/deposit-group.ts'
import { matchDeposits } from '../../domain/settlement/deposit-matching.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'
import type { DepositChanges, DepositTx } from './deposit-store.ts'

/** How many entries a matching explained, and which differences it found. */
export interface MatchedCounts {
  readonly deposited: number
  readonly returned: number
  readonly completed: number
  /** New differences by code. */
  readonly differences: ReadonlyMap<string, number>
}

/** The moment and the actor of a change. */
export interface Occasion {
  readonly at: Date
  readonly by: string
}

/**
 * Matches all entries without a payout of a merchant in a currency. The caller holds the lock of
 * the merchant's bank accounts.
 */
export async function matchAll(
  tx: DepositTx,
  merchantId: bigint,
  currency: string,
  { at, by }: Occasion,
): Promise<MatchedCounts> {
  const entries = await tx.readUnmatched(merchantId, currency)
  const payouts = await tx.readPayouts(merchantId, currency)
  const changes = changesOf(matchDeposits(entries, payouts, currency))
  await tx.saveMatching(merchantId, currency, changes, at, by)
  return countsOf(changes)
}

/** The rows of a matching. */
export function changesOf({ groups, unknown }: Matching): DepositChanges {
  const booked = groups.map((group) => ({ group, ...bookGroup(group) }))
  const found = booked.flatMap(({ difference }) => (difference === null ? [] : [difference]))
  const strange = unknown.map(({ entry, proposal }) => ({
    entry,
    proposal,
    posting: bookUnknown(entry),
  }))
  const isNew = strange.filter(({ posting }) => posting !== null)
  return {
    links: booked.flatMap(({ links }) => links),
    postings: [
      ...booked.flatMap(({ postings }) => postings),
      ...isNew.flatMap(({ posting }) => posting ?? []),
    ],
    payoutStates: groups.flatMap(({ kind, payouts }) =>
      kind === 'completion'
        ? []
        : payouts.map(({ id }) => ({
            payoutId: id,
            state: kind === 'return' ? ('returned' as const) : ('deposited' as const),
          })),
    ),
    matched: groups.flatMap(({ entries }) => entries.map(({ id }) => id)),
    differences: [
      ...found.map((difference) => ({ ...difference, proposal: [] })),
      ...isNew.map(({ entry, proposal }) => ({
        code: 'payout_unknown' as const,
        entryId: entry.id,
        payoutId: null,
        hereMinor: null,
        bankMinor: entry.amountMinor,
        proposal,
      })),
    ],
    completions: groups.flatMap(({ entries, kind, payouts }) =>
      kind !== 'completion'
        ? []
        : [{ payoutId: payouts[0]?.id ?? 0n, minor: entries[0]?.amountMinor ?? 0n }],
    ),
  }
}

function countsOf({ completions, differences, payoutStates }: DepositChanges): MatchedCounts {
  const count = (state: string): number =>
    payoutStates.filter((each) => each.state === state).length
  const codes = Map.groupBy(differences, ({ code }) => code)
  return {
    deposited: count('deposited'),
    returned: count('returned'),
    completed: completions.length,
    differences: new Map([...codes].map(([code, each]) => [code, each.length])),
  }
}

/**
 * Matches an entry with a payout that a person chose. An entry of another amount makes a
 * difference, like one that names the payout.
 */
export function matchByHand(
  transact: Transact<DepositTx & AuditedTx>,
  pair: { readonly entryId: bigint; readonly payoutId: bigint },
  by: AuditAuthor,
  clock: { now(): Date },
): Promise<Result<{ readonly counts: MatchedCounts }>> {
  const { entryId, payoutId } = pair
  return transact(async (tx): Promise<Result<{ readonly counts: MatchedCounts }>> => {
    const missing = refused(
      'missing',
      `No merchant has the entry ${entryId} and the payout ${payoutId} in one currency.`,
    )
    const first = await tx.readPair(entryId, payoutId)
    if (first === null) return missing
    await tx.lockMerchants([first.merchantId])
    const found = await tx.readPair(entryId, payoutId)
    if (found === null) return missing
    const { currency, entry, merchantId, payout } = found
    if (entry === null) {
      return refused('conflict', `Entry ${entryId} has a payout, or its difference ended.`)
    }
    if (payout === null || payout.state !== 'announced') {
      return refused(
        'conflict',
        `Payout ${payoutId} is not announced: it was deposited or returned.`,
      )
    }
    if (payout.netMinor > 0n !== entry.amountMinor > 0n) {
      return refused(
        'conflict',
        `Entry ${entryId} and payout ${payoutId} have opposite directions.`,
      )
    }
    const changes = changesOf({
      groups: [{ kind: 'deposit', entries: [entry], payouts: [payout] }],
      unknown: [],
    })
    await tx.saveMatching(merchantId, currency, changes, clock.now(), by.actor)
    const counts = countsOf(changes)
    await tx.audit([
      {
        ...by,
        operation: 'deposits.matched',
        object: `bank entry ${entryId}`,
        merchantId,
        result: 'done',
        details: { payout: payoutId.toString(), differences: changes.differences.length },
      },
    ])
    return { ok: true, counts }
  })
}
