/**
 * Rows as columns: a group of rows goes to PostgreSQL as one array for each column and is read there
 * by `unnest`. The array texts are written here, because a driver that inspects every element costs
 * more than the rest of the group.
 */
export type ColumnType = 'bigint' | 'int' | 'text' | 'timestamptz' | 'boolean' | 'json'

export type Cell = bigint | number | string | boolean | Date | null

export interface Columns<Name extends string> {
  /** `$1::bigint[], $2::text[], …`, starting at the parameter number given. */
  parameters(first: number): string
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
    names: entries.map(([name]) => name).join(', '),
    count: entries.length,
    values(rows) {
      return entries.map(([name, type]) => {
        const quoted = type === 'text' || type === 'json'
        let text = '{'
        for (let at = 0; at < rows.length; at++) {
          if (at > 0) text += ','
          const cell = (rows[at] as Readonly<Record<Name, Cell>>)[name]
          if (cell === null) text += 'NULL'
          else if (quoted) text += quote(cell as string)
          else if (cell instanceof Date) text += cell.toISOString()
          else text += cell
        }
        return text + '}'
      })
    },
  }
}

// PostgreSQL's text knows every character but NUL, which it cannot store at all.
const NEEDS_CARE = /["\\\0]/

function quote(text: string): string {
  if (!NEEDS_CARE.test(text)) return `"${text}"`
  return `"${text.replaceAll('\0', '').replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
