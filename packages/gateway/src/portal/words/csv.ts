import {
  columnDefinition,
  columnTitle,
  type ColumnKey,
  type ListName,
  type ColumnsRow,
} from '@tollgate/portal-contract/order-columns'
import { csvRow } from '../../base/csv.ts'

/**
 * Of a file: an amount's currency has a column of its own behind the first amount, unless it was
 * chosen.
 */
function headings(columns: readonly ColumnKey[]): readonly (ColumnKey | 'currency')[] {
  if (columns.includes('currency')) return columns
  const at = columns.findIndex((key) => columnDefinition(key).amount === true)
  return at === -1 ? columns : [...columns.slice(0, at + 1), 'currency', ...columns.slice(at + 1)]
}

/** How a file is written. */
export interface FileForm {
  readonly columns: readonly ColumnKey[]
  /** The zone of its times, which are ISO 8601 with their offset: an IANA name. */
  readonly timeZone: string
}

/** The first line of a file. */
export function csvHead(list: ListName, { columns }: Pick<FileForm, 'columns'>): string {
  return csvRow(headings(columns).map((key) => columnTitle(key, list)))
}

/** A row of a file, in the columns and their sequence as on the screen. */
export function csvLine(row: ColumnsRow, { columns, timeZone }: FileForm): string {
  return csvRow(headings(columns).map((key) => columnDefinition(key).text(row, timeZone)))
}
