/** Types, sources, source maps, pages and scripts for developers: no program loads them. */
const UNREAD =
  /\.(?:d\.[cm]?ts|[cm]?tsx?|map|md|markdown|flow|tsbuildinfo|a|la|pc|h|yml|yaml|patch|html|sh)$/i
/** Licences have to go with the program, also where they are Markdown. */
const LICENCE = /^(?:licen[cs]e|copying|notice|copyright|third[-_]party)/i
/** Folders at the root of a package with its tests and papers. Deeper ones may be code. */
const PAPERS = new Set([
  '.github',
  '.vscode',
  '__tests__',
  'bench',
  'benchmark',
  'benchmarks',
  'coverage',
  'doc',
  'docs',
  'example',
  'examples',
  'test',
  'tests',
])
/** Files of tools, which are hidden by their first character. */
const HIDDEN = /^\./
/** Files of the embedded PostgreSQL for compilers, and for npm's install scripts. */
const POSTGRES_BUILD = /^(?:scripts|native\/(?:include|lib\/pkgconfig|lib\/postgresql\/pgxs))\//

/** Whether a licence is in this file, by its name. */
export function isLicence(path: string): boolean {
  return LICENCE.test(path.slice(path.lastIndexOf('/') + 1))
}

/**
 * Whether the running program may need a file of a third-party package.
 * @param path inside the package, with slashes
 */
export function isNeeded(path: string): boolean {
  const [first = '', ...rest] = path.split('/')
  const name = rest.at(-1) ?? first
  if (rest.length > 0 && PAPERS.has(first)) return false
  if (HIDDEN.test(first) || HIDDEN.test(name)) return false
  if (POSTGRES_BUILD.test(path)) return false
  return isLicence(path) || !UNREAD.test(name)
}
