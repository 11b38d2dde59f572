import {
  columnsOf,
  DEFAULT_COLUMNS,
  readColumns,
  type ColumnKey,
  type ListName,
} from '@tollgate/portal-contract/order-columns'
import { PortalFault } from '../../shell/portal-route.ts'

/**
 * The columns of a file, as its address names them.
 *
 * @throws PortalFault that names the columns there are, if one of the names is of none: a program
 *   would read the next column in its place
 */
export function fileColumns(list: ListName, text: string | undefined): readonly ColumnKey[] {
  const known: readonly string[] = columnsOf(list)
  if (text !== undefined && text.split(',').some((name) => !known.includes(name))) {
    const sentence = `The list has no such column. Its columns are ${known.join(', ')}.`
    throw new PortalFault(400, 'invalid', sentence, 'cols')
  }
  return readColumns(list, text) ?? DEFAULT_COLUMNS[list]
}

/**
 * The columns that a user chose for a list, without names that it does not have.
 *
 * @throws PortalFault if none is left
 */
export function chosenColumns(list: ListName, names: readonly string[]): readonly ColumnKey[] {
  const columns = readColumns(list, names.join(','))
  if (columns === null)
    throw new PortalFault(400, 'invalid', 'A list needs at least one column.', 'columns')
  return columns
}
