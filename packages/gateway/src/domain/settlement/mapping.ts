import type { LineFees, LineKind } from './file-record.ts'

/**
 * How an acquirer's file becomes lines of `tollgate-settlement`. The names are those of the JSON
 * file. docs/operators/settlement-mappings.md describes each.
 */
export interface Mapping {
  /** The name that each booked file remembers, with its version `v`. */
  readonly mapping: string
  readonly v: number
  readonly input: MappingInput
  readonly file: {
    readonly account: AccountRule
    /** The column of the settlement currency, or the currency itself. */
    readonly currency: string | { readonly is: string }
    /** The column that numbers the acquirer's files, or the number that the operator gives. */
    readonly seq: { readonly column: string; readonly single: true } | { readonly given: true }
    /** The file opens with the closing balance of the file before it. */
    readonly opening: 'carry'
  }
  readonly kind: {
    readonly column: string
    readonly map: Readonly<Record<string, KindRule>>
    readonly else: 'refuse'
  }
  readonly id: {
    readonly column: string
    /** A pattern that the id must match. */
    readonly matches?: string | undefined
    /** Columns whose hash is the id of a row without one; `#occurrence` counts equal rows. */
    readonly else_hash?: readonly string[] | undefined
  }
  readonly date: DateRule
  readonly net: AmountRule
  /** The gross amount in the currency of the file. */
  readonly gross?: AmountRule | undefined
  /** The cardholder's amount, in a currency of its own. */
  readonly orig?: OrigRule | undefined
  readonly fees?: FeesRule | undefined
  readonly value_date?: DateRule | undefined
  readonly arrives?: DateRule | undefined
  readonly order?: TextRule | undefined
  readonly rrn?: TextRule | undefined
  readonly arn?: TextRule | undefined
  readonly batch?: TextRule | undefined
  readonly brand?: TextRule | undefined
  readonly case?: TextRule | undefined
  readonly reason?: TextRule | undefined
  readonly payout?: TextRule | undefined
  readonly trace?: TextRule | undefined
  readonly iban_last4?: TextRule | undefined
  readonly corrects?: TextRule | undefined
  readonly ref?: TextRule | undefined
  readonly period?: TextRule | undefined
  readonly fee_code?: TextRule | undefined
  readonly checks?:
    | {
        readonly net_from_gross_and_fees?: { readonly tolerance_minor: number } | undefined
        /** The net amounts of the rows with one value of this column add up to zero. */
        readonly sum_zero_per?: string | undefined
      }
    | undefined
}

export interface MappingInput {
  readonly type: 'csv' | 'jsonl'
  readonly encoding: 'utf-8' | 'latin1'
  readonly bom: 'allow' | 'refuse'
  readonly decimal: '.' | ','
  /** The sign between groups of three digits. */
  readonly thousands?: '.' | ',' | ' ' | "'" | undefined
  /** Whether amounts are units, or minor units of their currency. */
  readonly amounts?: 'units' | 'minor_units' | undefined
  /** `strip` takes the apostrophe away that spreadsheets put in front of a text. */
  readonly apostrophe?: 'strip' | undefined
  /** Of CSV only. */
  readonly delimiter?: ',' | ';' | '\t' | '|' | undefined
  readonly header?: true | undefined
}

/** A file of another account is refused. */
export interface AccountRule {
  readonly column?: string | undefined
  readonly equals?: string | undefined
  /** The account as the source of the files names it. */
  readonly as: string
}

export type KindRule = LineKind | { readonly '-': LineKind; readonly '+': LineKind }

/** An amount out of two columns, out of one with a sign, or out of one with an indicator. */
export type AmountRule =
  | {
      readonly debit: string
      readonly credit: string
      /** Refuses a row with neither. A row with both is always refused. */
      readonly exactly_one?: true | undefined
    }
  | { readonly column: string; readonly sign: 'signed' | 'negated' }
  | {
      readonly column: string
      readonly indicator: {
        readonly column: string
        readonly debit: readonly string[]
        readonly credit: readonly string[]
      }
    }

export type OrigRule = AmountRule & {
  readonly currency: string
  readonly rate?: string | undefined
}

/** The columns of each component. */
export type FeesRule = Readonly<Partial<Record<keyof LineFees, readonly string[] | undefined>>> & {
  /** How the file shows a fee that the acquirer charges. */
  readonly sign: 'charged_positive' | 'charged_negative'
  /** The component of a row that is a fee and has none of the columns; `other` by itself. */
  readonly standalone?: keyof LineFees | undefined
}

export interface DateRule {
  readonly column: string
  /** `iso`, or a form of yyyy, MM, dd, HH, mm and ss. */
  readonly format: string
  /** An IANA name. */
  readonly zone?: string | undefined
  readonly zone_column?: string | undefined
  /** IANA names by the values of that column. */
  readonly zones?: Readonly<Record<string, string>> | undefined
}

/** A column as it is, or a part of it, or another word for it. */
export type TextRule =
  | string
  | {
      readonly column: string
      /** The first group of the pattern is the text; no match is no text. */
      readonly regex?: string | undefined
      readonly map?: Readonly<Record<string, string>> | undefined
      /** For values that `map` does not have; `refuse` without it. */
      readonly else?: string | undefined
      /** Only rows of this kind have the text. */
      readonly when?: LineKind | undefined
    }

/** The optional texts of a line, by their names in the mapping and in the format. */
export const TEXT_FIELDS = [
  'order',
  'rrn',
  'arn',
  'batch',
  'brand',
  'case',
  'reason',
  'payout',
  'trace',
  'iban_last4',
  'corrects',
  'ref',
  'period',
  'fee_code',
] as const

export type TextField = (typeof TEXT_FIELDS)[number]
