import { maskText } from '../../base/card-masking.ts'
import { LONGEST_CELL } from './bounded-pattern.ts'
import type { MappingInput } from './mapping.ts'

/** Why a row of an acquirer's file cannot be read. The texts hold no card number. */
export interface RowFault {
  /** The line of the file, from 1 on; of a quoted line break, the line of the row's beginning. */
  readonly line: number
  /** Null where it is about the whole row. */
  readonly column: string | null
  readonly found: string
  readonly expected: string
  /** The operator's next step. */
  readonly remedy: string
}

/** Thrown while a row is read. */
export class RowRefused extends Error {
  override readonly name = 'RowRefused'
  readonly fault: RowFault

  constructor(fault: RowFault) {
    super(faultText(fault))
    this.fault = fault
  }
}

/** A fault as sentences: where, what was found and expected, what to do. */
export function faultText({ line, column, found, expected, remedy }: RowFault): string {
  const where = column === null ? `Line ${line}` : `Line ${line}, column "${column}"`
  return `${where}: found ${found}; expected ${expected}. ${remedy}`
}

/** 1.2E+15, which is what a spreadsheet leaves of a long number. */
const SCIENTIFIC = /^[+-]?\d+(?:[.,]\d+)?e[+-]?\d+$/i

/** The positions of the columns, by their names. */
export type Columns = ReadonlyMap<string, number>

/** One row of an acquirer's file. */
export class ForeignRow {
  /** The line of the file, from 1 on. */
  readonly line: number
  readonly #cells: readonly string[]
  readonly #columns: Columns
  readonly #input: MappingInput

  constructor(line: number, cells: readonly string[], columns: Columns, input: MappingInput) {
    this.line = line
    this.#cells = cells
    this.#columns = columns
    this.#input = input
  }

  /** The text of a column without the white space around it; '' for none. @throws RowRefused */
  cell(column: string): string {
    const at = this.#columns.get(column)
    const raw = at === undefined ? '' : (this.#cells[at] ?? '')
    if (raw === '') return ''
    if (raw.length > LONGEST_CELL) {
      this.#refuseRaw(column, `${raw.length} characters`, `at most ${LONGEST_CELL}`)
    }
    if (raw.includes('\0') || raw.includes('\uFFFD') || !raw.isWellFormed()) {
      this.#refuseRaw(column, 'characters that are none', 'the encoding of the mapping')
    }
    const text = raw.replaceAll(/\s+/gu, ' ').trim()
    if (SCIENTIFIC.test(text)) {
      const remedy = 'A spreadsheet has rounded the number: use the file as the acquirer sent it.'
      this.refuse(column, 'a number with all of its digits', remedy)
    }
    if (!text.startsWith("'")) return text
    if (this.#input.apostrophe === 'strip') return text.slice(1).trim()
    const remedy = 'Set "apostrophe": "strip" in "input" if the acquirer writes texts so.'
    return this.refuse(column, 'no apostrophe in front', remedy)
  }

  get input(): MappingInput {
    return this.#input
  }

  /** @throws RowRefused, always */
  refuse(column: string, expected: string, remedy: string): never {
    const at = this.#columns.get(column)
    const raw = at === undefined ? '' : (this.#cells[at] ?? '')
    const found = raw === '' ? 'nothing' : JSON.stringify(maskText(raw).slice(0, 60))
    throw new RowRefused({ line: this.line, column, found, expected, remedy })
  }

  #refuseRaw(column: string, found: string, expected: string): never {
    const remedy = 'Check "encoding" in "input", and the file.'
    throw new RowRefused({ line: this.line, column, found, expected, remedy })
  }
}
