import { searchTexts, type BankEntry } from '../../domain/settlement/bank-statement.ts'
import {
  recogniseEntry,
  type DepositPayer,
  type PayoutNames,
} from '../../domain/settlement/deposit-naming.ts'
import type { BankAccount, DepositTx, NewEntry } from './deposit-store.ts'

/** The facts by which the entries of an account are recognised. */
export interface EntryContext {
  readonly account: BankAccount
  readonly payers: readonly DepositPayer[]
  readonly announced: readonly (PayoutNames & { readonly sourceId: bigint })[]
  /** Masks card numbers. */
  readonly mask: (text: string) => string
}

/** Shared by many entries, so they are no identity. */
const NO_REFERENCES: ReadonlySet<string> = new Set(['NONREF', 'NOTPROVIDED'])

/**
 * The booked entries of a statement as they are stored. Entries of other business keep no text.
 * An entry with reference, amount and day of an entry in an earlier statement is a repetition.
 * Within one statement the balances prove that both moved money.
 * @param closedOn the day of entries without one, an ISO 8601 date
 */
export async function classifyEntries(
  tx: DepositTx,
  closedOn: string,
  booked: readonly BankEntry[],
  { account, announced, mask, payers }: EntryContext,
): Promise<readonly NewEntry[]> {
  const references = booked.map(({ reference }) => reference).filter(isIdentity)
  const before = await tx.findEntries(account.id, references)
  const known = new Set(before.map(identityOf))
  return booked.map((entry): NewEntry => {
    const { amountMinor, chargesMinor, isReversal, position, reference } = entry
    const bookedOn = entry.bookedOn ?? closedOn
    const facts = { amountMinor, bookedOn, chargesMinor, isReversal, position, reference }
    const nothing = { ...facts, sources: [], texts: [], hasReference: false }
    if (isIdentity(reference) && known.has(identityOf({ reference, amountMinor, bookedOn }))) {
      return { ...nothing, state: 'repeated' }
    }
    const { hasReference, sources } = recogniseEntry(entry, payers, announced)
    if (sources.length === 0 || bookedOn < account.since || amountMinor === 0n) {
      return { ...nothing, state: 'other' }
    }
    const texts = searchTexts(entry).map(mask)
    return { ...facts, state: 'unknown', sources, texts, hasReference }
  })
}

function isIdentity(reference: string | null): reference is string {
  return reference !== null && !NO_REFERENCES.has(reference.toUpperCase())
}

function identityOf(entry: {
  readonly reference: string
  readonly amountMinor: bigint
  readonly bookedOn: string
}): string {
  return JSON.stringify([entry.reference, entry.amountMinor.toString(), entry.bookedOn])
}
