/** The kinds of lines of a settlement file, as docs/settlement-file.md describes them. */
export const LINE_KINDS = [
  'sale',
  'refund',
  'refund_reversal',
  'reject',
  'chargeback',
  'chargeback_again',
  'dispute_reversal',
  'dispute_fee',
  'fee',
  'adjustment',
  'reserve_hold',
  'reserve_release',
  'payout',
  'payout_return',
  'carry_forward',
  'top_up',
] as const

export type LineKind = (typeof LINE_KINDS)[number]

/** The parts of a fee, in the sequence in which a line states them. */
export const FEE_NAMES = ['interchange', 'scheme', 'acquirer', 'dispute', 'tax', 'other'] as const

export type FeeName = (typeof FEE_NAMES)[number]

/** Minor units of the file's currency; a fee that is charged is negative. */
export type Fees = Readonly<Partial<Record<FeeName, bigint>>>

/** The amount before conversion or, in a reject, the amount that was refused. */
export interface OriginalAmount {
  /** Minor units of `currency`. */
  readonly minor: bigint
  /** ISO 4217 numeric. */
  readonly currency: string
  /** Millionths of the file's currency for one unit of `currency`; none in the same currency. */
  readonly rateMillionths?: bigint
}

/** The texts of a line, in the sequence in which the file has them. */
export interface LineTexts {
  readonly order?: string
  readonly rrn?: string
  readonly arn?: string
  readonly batch?: number
  readonly brand?: string
  readonly case?: string
  readonly orig?: OriginalAmount
  readonly reason?: string
  readonly corrects?: string
  readonly ref?: string
  readonly fee_code?: string
  readonly period?: string
  readonly payout?: string
  readonly trace?: string
  readonly iban_last4?: string
  readonly arrives?: string
  readonly value_date?: string
}

/** One line, from the merchant's side: an amount above zero is owed to the merchant. */
export interface SettlementLine extends LineTexts {
  /** Unique for the sender, for ever. */
  readonly id: string
  readonly kind: LineKind
  /** Minor units of the file's currency. */
  readonly gross: bigint
  readonly fees?: Fees
}

/** The first record of a file, before its lines. */
export interface SettlementHead {
  readonly fileId: string
  readonly mode: 'test' | 'live'
  readonly sender: string
  readonly receiver: string
  /** DE 42 without its filling. */
  readonly account: string
  /** ISO 4217 numeric. */
  readonly currency: string
  /** 1, 2, 3 and so on for each account and currency. */
  readonly seq: number
  /** The hash in the trailer of the file before; 64 zeros in the first. */
  readonly prevSha256: string
  readonly businessDate: string
  /** IANA name. */
  readonly zone: string
  /** UTC, ISO 8601 without fractions of a second. */
  readonly created: string
  readonly valueDate: string
  /** Minor units. */
  readonly opening: bigint
}

/** Gross and fees of a line, in minor units. */
export function netOf({ fees = {}, gross }: Pick<SettlementLine, 'fees' | 'gross'>): bigint {
  return gross + sumOf(fees)
}

export function sumOf(fees: Fees): bigint {
  return FEE_NAMES.reduce((sum, name) => sum + (fees[name] ?? 0n), 0n)
}
