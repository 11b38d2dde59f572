import { formatMinor } from '../money.ts'
import type { BankStatement } from './bank-statement.ts'

/** The statement of an account that was imported last. */
export interface StatementPosition {
  readonly statement: string
  /** The bank's number; '' for none. */
  readonly sequence: string
  /** ISO 8601 date. */
  readonly closedOn: string
  /** In minor units. */
  readonly closingMinor: bigint
}

/** How a statement follows the one before. */
export type StatementPlace =
  | {
      readonly kind: 'follows'
      /** A sentence about numbers that are missing in between; null for none. */
      readonly warning: string | null
    }
  /** It does not open where the one before closed. */
  | { readonly kind: 'gap'; readonly reason: string }
  /** It ends before the one that was imported last. */
  | { readonly kind: 'late'; readonly reason: string }

/**
 * Compares a statement with the one before it. Balances decide: the numbers of banks begin again
 * each year, or count other statements too, so a gap in them is a warning.
 * @param last null before the first statement of the account
 */
export function placeStatement(
  statement: Pick<BankStatement, 'currency' | 'id' | 'openingMinor' | 'sequence'> & {
    readonly closedOn: string
  },
  last: StatementPosition | null,
): StatementPlace {
  if (last === null) return { kind: 'follows', warning: null }
  const { closedOn, currency, id, openingMinor, sequence } = statement
  if (closedOn < last.closedOn) {
    const reason =
      `Statement ${id} ends on ${closedOn}; statement ${last.statement} of ${last.closedOn} is ` +
      'imported already. Import statements in their sequence.'
    return { kind: 'late', reason }
  }
  if (openingMinor !== last.closingMinor) {
    const show = (minor: bigint): string => formatMinor(minor, currency)
    const reason =
      `Statement ${id} opens with ${show(openingMinor ?? 0n)}; ` +
      `statement ${last.statement} closed with ${show(last.closingMinor)}. ` +
      'Import the statements in between first; use --accept-gap only if the bank has none.'
    return { kind: 'gap', reason }
  }
  return { kind: 'follows', warning: sequenceGap(id, sequence, last) }
}

function sequenceGap(id: string, sequence: string | null, last: StatementPosition): string | null {
  if (sequence === null || !/^\d{1,18}$/.test(sequence) || !/^\d{1,18}$/.test(last.sequence)) {
    return null
  }
  const [before, now] = [BigInt(last.sequence), BigInt(sequence)]
  if (now === before + 1n || now === 1n || now === before) return null
  return (
    `Statement ${id} has the number ${sequence}, and the one before it ${last.sequence}; ` +
    'the balances fit, so no money is missing.'
  )
}

/** The statements of an account in their sequence: by the day of their end, then by number. */
export function inSequence<
  Statement extends Pick<BankStatement, 'sequence'> & { readonly closedOn: string },
>(statements: readonly Statement[]): readonly Statement[] {
  const numberOf = ({ sequence }: Statement): bigint =>
    sequence !== null && /^\d{1,18}$/.test(sequence) ? BigInt(sequence) : 0n
  return statements.toSorted((one, other) => {
    if (one.closedOn !== other.closedOn) return one.closedOn < other.closedOn ? -1 : 1
    const difference = numberOf(one) - numberOf(other)
    return difference === 0n ? 0 : difference < 0n ? -1 : 1
  })
}
