/**
 * Rows as columns: a group of rows goes to PostgreSQL as one array for each column. There `unnest`
 * reads a small group. A hot statement with many columns reads its cells by subscript instead,
 * because `unnest` stores each column apart before the first row is seen. The array texts are
 * written here, because a driver that inspects every element costs more than the rest of the group.
 */
export type ColumnType = 'bigint' | 'int' | 'text' | 'timestamptz' | 'boolean' | 'json' | 'uuid'

export type Cell = bigint | number | string | boolean | Date | null

export interface Columns<Name extends string> {
  /** `$1::bigint[], $2::text[], …`, starting at the parameter number given. */
  parameters(first: number): string
  /**
   * The cells of row `n` by column: `($1::bigint[])[n]`, …, starting at the parameter number given.
   */
  cells(first: number): Readonly<Record<Name, string>>
  /** `generate_subscripts($1::bigint[], 1)`: the row numbers of the group. */
  rowNumbers(first: number): string
  /** `id, order_id, …` */
  readonly names: string
  readonly count: number
  /** One array text for each column. */
  values(rows: readonly Readonly<Record<Name, Cell>>[]): string[]
}

export function defineColumns<Name extends string>(
  types: Readonly<Record<Name, ColumnType>>,
): Columns<Name> {
  const entries = Object.entries(types) as [Name, ColumnType][]
  return {
    parameters: (first) => entries.map(([, type], at) => `$${first + at}::${type}[]`).join(', '),
    cells: (first) =>
      Object.fromEntries(
        entries.map(([name, type], at) => [name, `($${first + at}::${type}[])[n]`]),
      ) as Record<Name, string>,
    rowNumbers: (first) => `generate_subscripts($${first}::${entries[0]?.[1]}[], 1)`,
    names: entries.map(([name]) => name).join(', '),
    count: entries.length,
    values(rows) {
      return entries.map(([name, type]) => {
        const quoted = type === 'text' || type === 'json'
        let text = ''
        // Neighbours often hold the same: what was written for one is written for the next.
        let last: Cell | undefined
        let written = ''
        for (const row of rows) {
          const cell = row[name]
          if (cell !== last) {
            last = cell
            if (cell === null) written = 'NULL'
            else if (quoted) written = quote(cell as string)
            else if (cell instanceof Date) written = cell.toISOString()
            else written = String(cell)
          }
          text = text === '' ? '{' + written : text + ',' + written
        }
        return text === '' ? '{}' : text + '}'
      })
    },
  }
}

// PostgreSQL's text holds every character except NUL, which it cannot store at all.
const NEEDS_CARE = /["\\\0]/

function quote(text: string): string {
  if (!NEEDS_CARE.test(text)) return `"${text}"`
  return `"${text.replaceAll('\0', '').replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
