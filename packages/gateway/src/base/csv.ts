const CRLF = '\r\n'

/**
 * One line of a CSV file according to RFC 4180, with its line end. All CSV files of the product are
 * made of these lines.
 *
 * Each cell is quoted, and no cell is a formula: spreadsheets run a cell that begins with one of
 * the formula signs. In many locales a cell also begins behind each semicolon. The same holds for
 * tabs, bars and line ends. An apostrophe in front of the sign makes the cell a text. A reader gets
 * all other cells back unchanged.
 *
 * Source of the signs and of the remedy: OWASP, "CSV Injection".
 */
export function csvRow(cells: readonly string[]): string {
  return cells.map(cell).join(',') + CRLF
}

/** Half-width and full-width signs, and their small forms: Excel takes all of them. */
const SIGN = '[=+\\-@＝＋－＠﹦﹢﹣]'
/** Spaces, control characters and characters without a picture. A quote vanishes when read. */
const UNSEEN = String.raw`[\s"\p{Cc}\p{Cf}\p{DI}\u2800]`
/**
 * The separators of some locale or program: the next sign begins another cell. So does a comma
 * before a quote, for a reader that splits at `","` and does not know doubled quotes.
 */
const SEPARATOR = String.raw`[;\t|\v\f\r\n\u0085\u2028\u2029]|,(?=")`
const FORMULA_BEHIND = new RegExp(`(${SEPARATOR})(?=${UNSEEN}*${SIGN})`, 'gu')
const FORMULA = new RegExp(`^(?=${UNSEEN}*${SIGN})`, 'u')
/** A negative amount is a number and stays one. */
const NEGATIVE = /^-\d+(\.\d+)?$/

function cell(text: string): string {
  const harmless = NEGATIVE.test(text)
    ? text
    : text.replace(FORMULA_BEHIND, "$1'").replace(FORMULA, "'")
  return `"${harmless.replaceAll('"', '""')}"`
}
