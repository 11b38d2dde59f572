export type Rows = readonly (readonly string[])[]

/** Rows as a table of Markdown; the first has the headings. */
export function table([head = [], ...rows]: Rows): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  return line(head) + `|${'---|'.repeat(head.length)}\n` + rows.map(line).join('')
}

/** The page with its tables written between their marks. Throws for a table without a mark. */
export function withTables(page: string, tables: Readonly<Record<string, () => string>>): string {
  return Object.entries(tables).reduce((text, [name, build]) => {
    const start = `<!-- table: ${name} -->\n`
    const from = text.indexOf(start)
    const to = text.indexOf('<!-- end -->', from)
    if (from === -1 || to === -1) throw new Error(`The page has no place for the table ${name}.`)
    return text.slice(0, from) + start + `${build().trimEnd()}\n` + text.slice(to)
  }, page)
}
