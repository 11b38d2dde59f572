/** A difference that a settlement file gets on purpose; docs/settlement-file.md lists the kinds. */
export interface Plant {
  readonly kind: string
  /** Which of the file's sales, or refunds, is affected: 1 is the first. */
  readonly nth: number
  /** Days, for the kinds that delay something. */
  readonly days: number
}

/** A line that waits for the next file. Amounts are minor units of the file's currency as text. */
export interface WaitingLine {
  readonly kind:
    | 'chargeback'
    | 'chargeback_again'
    | 'dispute_reversal'
    | 'dispute_fee'
    | 'adjustment'
    | 'refund_reversal'
  readonly gross: string
  readonly fees?: { readonly dispute?: string }
  readonly order?: string
  readonly rrn?: string
  readonly ref?: string
  readonly case?: string
  readonly reason?: string
  readonly corrects?: string
  /** The amount before conversion, in minor units; the rate in millionths, both as text. */
  readonly orig?: {
    readonly minor: string
    readonly currency: string
    readonly rateMillionths: string
  }
  /** The first business day of a file that may have it; absent for the next file. */
  readonly until?: string
}

/** The share of sales that is held back, and for how many days. */
export interface ReserveTerms {
  readonly rateMillionths: number
  readonly days: number
}

/** The decision to make a file. The file follows from it and from the books. */
export interface Decision {
  readonly step: 'decided'
  readonly seq: number
  readonly fileId: string
  /** DE 32 of the merchant's gateway. */
  readonly receiver: string
  /** UTC, ISO 8601. */
  readonly created: string
  readonly businessDate: string
  /** `YYYY-MM` that the scheme's monthly fee is for, where one is due. */
  readonly period?: string
  /** Keys of movements that stay out of this file, and the first business day for them. */
  readonly postponed?: readonly (readonly [key: string, until: string])[]
  /** Reserves whose release is put off to another day. */
  readonly delayed?: readonly (readonly [ref: string, until: string])[]
  /** Keys of movements that the next file gets once more. */
  readonly again?: readonly string[]
  readonly plants?: readonly Plant[]
  /** Numbers of waiting lines, from 0, that stay out of this file, and the day for them. */
  readonly lateLines?: readonly (readonly [at: number, until: string])[]
  /** Keys of its captures that are disputed, with the amounts of their rows. */
  readonly disputes?: readonly (readonly [key: string, amount: string])[]
}

/** A finished file. Amounts are minor units of its currency as text. */
export interface MadeFile {
  readonly step: 'made'
  readonly seq: number
  readonly name: string
  readonly businessDate: string
  readonly lines: number
  readonly sha256: string
  readonly closing: string
  /** The amount of its reserve line, and the day of release; none without such a line. */
  readonly held?: { readonly ref: string; readonly minor: string; readonly releaseOn: string }
  /** The references of the reserves that it releases. */
  readonly released: readonly string[]
}

/** The content of a journal record of kind `settlement`. */
export type SettlementNote =
  | Decision
  | MadeFile
  | { readonly step: 'line'; readonly line: WaitingLine }
  | { readonly step: 'terms'; readonly reserve: ReserveTerms | null }
  | { readonly step: 'day'; readonly day: string }
  /** The key of a capture, refund or credit that the next file is to reject. */
  | { readonly step: 'reject'; readonly key: string }
