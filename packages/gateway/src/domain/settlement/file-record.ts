/** The components of a line's fees, in minor units; negative where the acquirer charges. */
export interface LineFees {
  readonly interchange: bigint
  readonly scheme: bigint
  readonly acquirer: bigint
  readonly dispute: bigint
  readonly tax: bigint
  readonly other: bigint
}

export const FEE_NAMES = ['interchange', 'scheme', 'acquirer', 'dispute', 'tax', 'other'] as const

/** The signs that an amount of a kind may have. */
type Sign = 'plus' | 'minus' | 'zero' | 'any' | 'not zero'

/**
 * The kinds of lines, each with the signs of its amount. Plus is money that the acquirer owes the
 * merchant. A fee is a plus when the acquirer returns it, a payout when it is a debit.
 */
export const LINE_KINDS = {
  sale: 'plus',
  refund: 'minus',
  refund_reversal: 'plus',
  reject: 'zero',
  chargeback: 'minus',
  chargeback_again: 'minus',
  dispute_reversal: 'plus',
  dispute_fee: 'not zero',
  fee: 'not zero',
  adjustment: 'not zero',
  reserve_hold: 'minus',
  reserve_release: 'plus',
  payout: 'not zero',
  payout_return: 'plus',
  carry_forward: 'any',
  top_up: 'plus',
} as const satisfies Readonly<Record<string, Sign>>

export type LineKind = keyof typeof LINE_KINDS

/** The kinds of payments: the gross amount has the sign, because fees may exceed a small sale. */
const SIGN_OF_GROSS: ReadonlySet<LineKind> = new Set(['sale', 'refund', 'refund_reversal'])

/** Whether a line of this kind may have these amounts, in minor units. */
export function fitsKind(kind: LineKind, gross: bigint, net: bigint): boolean {
  const sign: Sign = LINE_KINDS[kind]
  const amount = SIGN_OF_GROSS.has(kind) ? gross : net
  if (sign === 'plus') return amount > 0n
  if (sign === 'minus') return amount < 0n
  if (sign === 'zero') return amount === 0n
  return sign === 'any' || amount !== 0n
}

/** The first record of a file: whose it is, and where it stands in the chain of files. */
export interface FileHeader {
  readonly fileId: string
  readonly mode: 'test' | 'live'
  readonly sender: string
  readonly receiver: string
  readonly account: string
  /** ISO 4217 alphabetic code of the settlement. */
  readonly currency: string
  readonly seq: bigint
  readonly prevSha256: string
  /** ISO 8601 dates. */
  readonly businessDate: string
  readonly valueDate: string
  /** IANA name. */
  readonly zone: string
  readonly created: string
  readonly openingMinor: bigint
}

/** A line of a file. Amounts are minor units of the file's currency; null: the line has none. */
export interface FileLine {
  /** 1, 2, 3 and so on. */
  readonly n: number
  /** Unique for ever among the lines of a sender. */
  readonly id: string
  readonly kind: LineKind
  readonly gross: bigint
  readonly net: bigint
  readonly fees: LineFees
  /** ISO 8601 date. */
  readonly valueDate: string
  readonly order: string | null
  /** DE 37 of the order. */
  readonly rrn: string | null
  readonly arn: string | null
  readonly batch: string | null
  readonly brand: string | null
  /** The cardholder's amount, in minor units of its own currency. */
  readonly orig: {
    readonly minor: bigint
    readonly currency: string
    readonly rate: string | null
  } | null
  readonly case: string | null
  readonly reason: string | null
  readonly payout: string | null
  readonly trace: string | null
  readonly arrives: string | null
  readonly ibanLast4: string | null
  /** The id of an earlier line. */
  readonly corrects: string | null
  readonly ref: string | null
  readonly period: string | null
  readonly feeCode: string | null
  /** Fields that this version does not know; null for none. */
  readonly extra: Readonly<Record<string, unknown>> | null
}

export interface KindSum {
  readonly count: number
  readonly net: bigint
}

/** The last record of a file: what all lines add up to. */
export interface FileTrailer {
  readonly lines: number
  readonly byKind: ReadonlyMap<string, KindSum>
  readonly gross: bigint
  readonly fees: bigint
  readonly net: bigint
  readonly closing: bigint
  /** Of all bytes before the trailer. */
  readonly sha256: string
}

/** The reasons for which a file is refused; nothing of it is booked then. */
export const REFUSAL_CODES = {
  S01: 'A line is not a JSON object with the fields of its record.',
  S02: 'The header or the trailer is missing or misplaced.',
  S03: 'The numbers of the lines have a gap.',
  S04: 'The trailer counts other lines.',
  S05: 'A sum of the trailer is not the sum of the lines.',
  S06: 'The hash of the trailer is not the hash of the bytes before it.',
  S07: 'The net amount of a line is not its gross amount and its fees.',
  S08: 'The net amount of a line has the wrong sign for its kind.',
  S09: 'An amount has not exactly the decimals of its currency.',
  S10: 'The sender, the receiver, the account or the mode is not configured.',
  S11: 'Another file has the same sequence number.',
  S12: 'An earlier file is missing.',
  S13: 'The file does not name the hash of the file before it.',
  S14: 'The file does not open with the closing balance of the file before it.',
  S15: 'The id of a line was used before.',
  S16: 'The format or its version is unknown.',
  S17: 'A line is longer than 64 KiB.',
} as const

export type RefusalCode = keyof typeof REFUSAL_CODES

/** Why a file is refused, and at which line of the file (1 is the header). */
export interface FileRefusal {
  readonly code: RefusalCode
  readonly line: number
  /** A sentence with the found and the expected value. */
  readonly reason: string
}

/** Thrown by the readers of a file. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError'
  readonly refusal: FileRefusal

  constructor(code: RefusalCode, line: number, reason: string) {
    super(`${code} in line ${line}: ${reason}`)
    this.refusal = { code, line, reason }
  }
}
