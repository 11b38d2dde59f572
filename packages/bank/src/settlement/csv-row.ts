/**
 * One row according to RFC 4180. The bank shares no code with the gateway, so this is its
 * own writer. Every cell is quoted. A cell that a spreadsheet would take for a formula begins with
 * an apostrophe. A negative amount stays a number.
 */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

const NEGATIVE = /^-\d+(\.\d+)?$/
const FORMULA = /^(?=[\s"\p{Cc}\p{Cf}\p{DI}\u2800]*[=+\-@＝＋－＠﹦﹢﹣])/u
const FORMULA_BEHIND =
  /([;\t|\v\f\r\n\u0085\u2028\u2029]|,(?="))(?=[\s"\p{Cc}\p{Cf}\p{DI}\u2800]*[=+\-@＝＋－＠﹦﹢﹣])/gu

function cell(text: string): string {
  const isNumber = NEGATIVE.test(text)
  const safe = isNumber ? text : text.replace(FORMULA_BEHIND, "$1'").replace(FORMULA, "'")
  return `"${safe.replaceAll('"', '""')}"`
}
