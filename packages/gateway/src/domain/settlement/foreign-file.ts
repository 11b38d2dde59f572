import { momentIn } from '@tollgate/kernel/time-zone'
import { maskText } from '../../base/card-masking.ts'
import { findCurrency, type Currency } from '../currency.ts'
import { FEE_NAMES, type FileLine, type KindSum, type LineKind } from './file-record.ts'
import { RowRefused, type ForeignRow, type RowFault } from './foreign-row.ts'
import { readCurrency } from './foreign-value.ts'
import type { Mapping } from './mapping.ts'
import { createLineReader } from './read-foreign-line.ts'

const MOST_FAULTS = 20
const MOST_UNMAPPED = 100
const FIRST_LINES = 20
const MOST_GROUPS = 100_000
const SEQ = /^[1-9]\d{0,14}$/

/** The sums of all rows of an acquirer's file. Amounts are minor units of its currency. */
export interface ForeignSummary {
  readonly rows: number
  readonly currency: Currency | null
  /** Null where the file has none and the operator gave none. */
  readonly seq: bigint | null
  readonly businessDate: string | null
  readonly zone: string | null
  /** The last date of a row, as UTC without milliseconds. */
  readonly created: string | null
  readonly byKind: ReadonlyMap<LineKind, KindSum>
  readonly gross: bigint
  readonly fees: bigint
  readonly net: bigint
  /** Values of the kind's column that the mapping does not have, masked, with their counts. */
  readonly unmapped: ReadonlyMap<string, number>
  readonly firstLines: readonly FileLine[]
  readonly faults: readonly RowFault[]
  readonly faultCount: number
}

/** Reads the rows of one file, in their sequence, with constant memory for rows that have an id. */
export interface ForeignFile {
  /** The line of a row; null for a row with a fault, which the summary has. */
  add(row: ForeignRow): FileLine | null
  end(): ForeignSummary
}

/**
 * @param mapping one that was checked
 * @param givenSeq the number of the file, where the mapping has none
 * @param digest hexadecimal SHA-256 of a text
 */
export function createForeignFile(
  mapping: Mapping,
  givenSeq: bigint | null,
  digest: (text: string) => string,
): ForeignFile {
  const reader = createLineReader(mapping)
  const state = new FileState(mapping, givenSeq)
  const occurrences = new Map<string, number>()
  const occurrence = (hash: string): number => {
    const count = (occurrences.get(hash) ?? 0) + 1
    occurrences.set(hash, count)
    return count
  }
  return {
    add(row) {
      try {
        state.rows += 1
        const currency = state.checkFile(row)
        state.countUnmapped(reader.kindOf(row))
        const context = { currency, n: state.rows, digest, occurrence }
        const { line, date } = reader.read(row, context)
        state.checkZone(row, date.zone)
        state.take(row, line, date.wall)
        return line
      } catch (error) {
        if (!(error instanceof RowRefused)) throw error
        state.fault(error.fault)
        return null
      }
    },
    end: () => state.summary(),
  }
}

class FileState {
  rows = 0
  readonly #mapping: Mapping
  readonly #givenSeq: bigint | null
  #currency: Currency | null
  #seq: string | null = null
  #zone: string | null = null
  #latest = ''
  #gross = 0n
  #fees = 0n
  #net = 0n
  #faultCount = 0
  readonly #byKind = new Map<LineKind, { count: number; net: bigint }>()
  readonly #unmapped = new Map<string, number>()
  readonly #firstLines: FileLine[] = []
  readonly #faults: RowFault[] = []
  /** Net and last line of each value of the column of `sum_zero_per`. */
  readonly #groups = new Map<string, { net: bigint; line: number }>()

  constructor(mapping: Mapping, givenSeq: bigint | null) {
    this.#mapping = mapping
    this.#givenSeq = givenSeq
    const { currency } = mapping.file
    this.#currency = typeof currency === 'string' ? null : findCurrency(currency.is)
  }

  /** Checks what each row repeats about its file. @throws RowRefused */
  checkFile(row: ForeignRow): Currency {
    const { account, currency, seq } = this.#mapping.file
    if (account.column !== undefined && row.cell(account.column) !== account.equals) {
      const remedy = 'The file is of another account, or "account" of the mapping is wrong.'
      row.refuse(account.column, JSON.stringify(account.equals), remedy)
    }
    if ('column' in seq) {
      const found = row.cell(seq.column)
      const expected = this.#seq ?? 'a whole number above zero'
      if (!SEQ.test(found) || (this.#seq !== null && found !== this.#seq)) {
        row.refuse(seq.column, expected, 'A file has one number: split it by this column.')
      }
      this.#seq = found
    }
    if (typeof currency !== 'string') {
      return this.#currency ?? row.refuse('', 'a currency', 'Correct "currency" in "file".')
    }
    const found = readCurrency(row, currency)
    this.#currency ??= found
    if (found.code === this.#currency.code) return found
    return row.refuse(currency, this.#currency.code, 'A file has one currency: split it.')
  }

  checkZone(row: ForeignRow, zone: string): void {
    this.#zone ??= zone
    if (zone === this.#zone) return
    const { column, zone_column: zoneColumn } = this.#mapping.date
    row.refuse(zoneColumn ?? column, `the zone ${this.#zone}`, 'A file has one zone: split it.')
  }

  countUnmapped(value: string): void {
    if (Object.hasOwn(this.#mapping.kind.map, value)) return
    const masked = maskText(value)
    if (this.#unmapped.size >= MOST_UNMAPPED && !this.#unmapped.has(masked)) return
    this.#unmapped.set(masked, (this.#unmapped.get(masked) ?? 0) + 1)
  }

  take(row: ForeignRow, line: FileLine, wall: string): void {
    this.#addToGroup(row, line.net)
    if (wall > this.#latest) this.#latest = wall
    this.#gross += line.gross
    this.#net += line.net
    for (const name of FEE_NAMES) this.#fees += line.fees[name]
    const sum = this.#byKind.get(line.kind) ?? { count: 0, net: 0n }
    sum.count += 1
    sum.net += line.net
    this.#byKind.set(line.kind, sum)
    if (this.#firstLines.length < FIRST_LINES) this.#firstLines.push(line)
  }

  #addToGroup(row: ForeignRow, net: bigint): void {
    const column = this.#mapping.checks?.sum_zero_per
    if (column === undefined) return
    const value = row.cell(column)
    const group = this.#groups.get(value) ?? { net: 0n, line: row.line }
    if (this.#groups.size >= MOST_GROUPS && !this.#groups.has(value)) {
      row.refuse(column, `at most ${MOST_GROUPS} values`, 'Name a column with fewer values.')
    }
    this.#groups.set(value, { net: group.net + net, line: row.line })
  }

  fault(fault: RowFault): void {
    this.#faultCount += 1
    if (this.#faults.length < MOST_FAULTS) this.#faults.push(fault)
  }

  summary(): ForeignSummary {
    this.#checkGroups()
    const { file } = this.#mapping
    const seq =
      'column' in file.seq ? (this.#seq === null ? null : BigInt(this.#seq)) : this.#givenSeq
    const zone = this.#zone
    const isDated = zone !== null && this.#latest !== ''
    return {
      rows: this.rows,
      currency: this.#currency,
      seq,
      businessDate: isDated ? this.#latest.slice(0, 10) : null,
      zone,
      created: isDated ? momentIn(zone, this.#latest).toISOString().replace('.000Z', 'Z') : null,
      byKind: this.#byKind,
      gross: this.#gross,
      fees: this.#fees,
      net: this.#net,
      unmapped: this.#unmapped,
      firstLines: this.#firstLines,
      faults: this.#faults,
      faultCount: this.#faultCount,
    }
  }

  #checkGroups(): void {
    const column = this.#mapping.checks?.sum_zero_per
    if (column === undefined) return
    for (const [value, { net, line }] of this.#groups) {
      if (net === 0n) continue
      const shown = JSON.stringify(maskText(value).slice(0, 60))
      const found = `a sum of ${net} minor units for ${shown}`
      const remedy = 'Rows are missing or misread; see the faults before this one.'
      this.fault({ line, column, found, expected: 'zero', remedy })
    }
    this.#groups.clear()
  }
}
