import { sumForeignFile } from '../adapters/settlement-files/convert-file.ts'
import { readMappingFile } from '../adapters/settlement-files/mapping-file.ts'
import type { Result } from '../base/refusal.ts'
import { formatMinor } from '../domain/money.ts'
import { headerFault } from '../domain/settlement/canonical-header.ts'
import { lineText } from '../domain/settlement/canonical-text.ts'
import type { ForeignSummary } from '../domain/settlement/foreign-file.ts'
import { faultText } from '../domain/settlement/foreign-row.ts'

export { importMappedFile } from './mapped-import.ts'
export { tryStatementFiles, type TriedStatement } from './bank-statements.ts'

/** The result of an acquirer's file by a mapping. Amounts are decimal texts. */
export interface TriedFile {
  readonly mapping: string
  readonly version: number
  readonly rows: number
  readonly currency: string | null
  readonly seq: bigint | null
  readonly businessDate: string | null
  readonly zone: string | null
  readonly kinds: readonly { readonly kind: string; readonly count: number; readonly net: string }[]
  readonly sums: { readonly gross: string; readonly fees: string; readonly net: string }
  /** Values of the kind's column that the mapping does not have, masked. */
  readonly unmapped: ReadonlyMap<string, number>
  /** The checks that the mapping asks for, a sentence each. */
  readonly checks: readonly string[]
  /** The first 20 rows as lines of `tollgate-settlement`. */
  readonly firstLines: readonly string[]
  /** Why the file would be refused: the first faults. */
  readonly faults: readonly string[]
  readonly faultCount: number
}

/**
 * Tries a mapping with a file. Writes nothing.
 * @param mappingJson the text of the mapping
 * @param seq the number of the file, where the mapping has none
 */
export async function trySettlementFile(
  mappingJson: string,
  path: string,
  seq: bigint | null,
): Promise<Result<{ readonly tried: TriedFile }>> {
  const read = readMappingFile(mappingJson)
  if (!read.ok) return read
  const { mapping } = read
  const { summary } = await sumForeignFile(path, mapping, seq)
  const whole = headerFault(summary)
  const faults = summary.faults.map(faultText)
  const { currency } = summary
  const tried: TriedFile = {
    mapping: mapping.mapping,
    version: mapping.v,
    rows: summary.rows,
    currency: currency?.code ?? null,
    seq: summary.seq,
    businessDate: summary.businessDate,
    zone: summary.zone,
    ...sumsOf(summary),
    unmapped: summary.unmapped,
    checks: checksOf(mapping.checks),
    firstLines:
      currency === null
        ? []
        : summary.firstLines.map((line) =>
            lineText(line, currency, summary.businessDate ?? '').trimEnd(),
          ),
    faults: whole === null ? faults : [...faults, whole],
    faultCount: summary.faultCount + (whole === null ? 0 : 1),
  }
  return { ok: true, tried }
}

function sumsOf(summary: ForeignSummary): Pick<TriedFile, 'kinds' | 'sums'> {
  const { currency } = summary
  const show = (minor: bigint): string =>
    currency === null ? minor.toString() : formatMinor(minor, currency)
  const kinds = [...summary.byKind].map(([kind, { count, net }]) => ({
    kind,
    count,
    net: show(net),
  }))
  const { gross, fees, net } = summary
  return { kinds, sums: { gross: show(gross), fees: show(fees), net: show(net) } }
}

function checksOf(checks: { readonly [name: string]: unknown } | undefined): string[] {
  const { net_from_gross_and_fees: gross, sum_zero_per: column } = checks ?? {}
  return [
    'each row is checked as a line of the format: net = gross + fees, sign of the kind, keys',
    ...(gross === undefined ? [] : ['gross amounts of the file agree with net and fees']),
    ...(column === undefined ? [] : [`net amounts add up to zero per "${String(column)}"`]),
  ]
}
