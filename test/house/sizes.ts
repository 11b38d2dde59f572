import { parseSync } from 'oxc-parser'

export const MAX_FILE_LINES = 250
export const MAX_FUNCTION_LINES = 60
export const MAX_COLUMNS = 100

/**
 * By how much a file is larger than files should be. All three are 0 where it is as it should be.
 */
export interface Excess {
  /** Lines of the file above what a file may have. */
  readonly fileLines: number
  /** Lines of its functions above what a function may have, added up. */
  readonly functionLines: number
  /** How many lines have more columns than a line may have. */
  readonly wideLines: number
}

/** Paths with an excess. A path that is not here has none. */
export type Sizes = Readonly<Record<string, Excess>>

/** Tables: splitting one would part rows that are read together. */
export const TABLES: Readonly<Record<string, string>> = {
  'packages/bank/src/test-data/account-cards.ts': 'a row for each account of the test bank',
  'packages/gateway/src/http/payment/parameters.ts': 'a row for each parameter of the interface',
  'packages/gateway/src/portal/words/decline-reasons.ts': 'a row for each reason of a decline',
  'packages/client/src/event-types.ts': 'the types of each event, written from the schemas',
  'tools/mutation/known-mutants.ts': 'a row for each mistake that a review described',
}

export function isMeasured(path: string): boolean {
  return !(path in TABLES)
}

/** Null for a file that is nowhere too large. */
export function excessOf(path: string, text: string): Excess | null {
  const lines = text.replace(/\n$/, '').split('\n')
  const excess = {
    fileLines: Math.max(0, lines.length - MAX_FILE_LINES),
    functionLines: functionLengths(path, text)
      .map((length) => Math.max(0, length - MAX_FUNCTION_LINES))
      .reduce((sum, more) => sum + more, 0),
    wideLines: lines.filter((line) => line.length > MAX_COLUMNS).length,
  }
  return KINDS.some((kind) => excess[kind] > 0) ? excess : null
}

const KINDS = ['fileLines', 'functionLines', 'wideLines'] as const

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

/**
 * Lines of each function. One inside it counts as a single line there: a factory of small methods
 * reads well, however many it has.
 */
function functionLengths(path: string, text: string): number[] {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} can not be parsed: ${errors[0]?.message ?? ''}`)
  const lengths: number[] = []
  const linesOf = ({ start, end }: Node) => text.slice(start, end).split('\n').length
  /**
   * Adds the functions below a node to the list; gives the lines that they have beyond the first.
   */
  const walk = (value: unknown): number => {
    if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + walk(item), 0)
    if (!isNode(value)) return 0
    const hidden = Object.values(value).reduce<number>((sum, item) => sum + walk(item), 0)
    if (!FUNCTIONS.has(value.type)) return hidden
    lengths.push(linesOf(value) - hidden)
    return linesOf(value) - 1
  }
  walk(program)
  return lengths
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** A sentence for each number that is larger than the one on record. */
export function growths(recorded: Sizes, measured: Sizes): string[] {
  return compare(recorded, measured, (before, now) => now > before)
}

/** A sentence for each number that is smaller than the one on record. */
export function shrinkages(recorded: Sizes, measured: Sizes): string[] {
  return compare(recorded, measured, (before, now) => now < before)
}

/** The record with every number that has become smaller, and with none that has become larger. */
export function lowered(recorded: Sizes, measured: Sizes): Sizes {
  const entries = Object.entries(recorded).flatMap(([path, before]) => {
    const now = measured[path]
    if (now === undefined) return []
    const least = {
      fileLines: Math.min(before.fileLines, now.fileLines),
      functionLines: Math.min(before.functionLines, now.functionLines),
      wideLines: Math.min(before.wideLines, now.wideLines),
    }
    return KINDS.some((kind) => least[kind] > 0) ? [[path, least] as const] : []
  })
  return Object.fromEntries(entries)
}

const NAMES: Readonly<Record<keyof Excess, string>> = {
  fileLines: `lines above ${MAX_FILE_LINES}`,
  functionLines: `lines of functions above ${MAX_FUNCTION_LINES}`,
  wideLines: `lines of more than ${MAX_COLUMNS} columns`,
}

const NONE: Excess = { fileLines: 0, functionLines: 0, wideLines: 0 }

function compare(
  recorded: Sizes,
  measured: Sizes,
  isWorthSaying: (before: number, now: number) => boolean,
): string[] {
  const paths = [...new Set([...Object.keys(recorded), ...Object.keys(measured)])].sort()
  return paths.flatMap((path) =>
    KINDS.flatMap((kind) => {
      const before = (recorded[path] ?? NONE)[kind]
      const now = (measured[path] ?? NONE)[kind]
      if (!isWorthSaying(before, now)) return []
      return [`${path}: ${now} ${NAMES[kind]}, and ${before} on record`]
    }),
  )
}

/** As it is written to the file: a line for each path, so that a change is one line of a diff. */
export function writtenSizes(sizes: Sizes): string {
  const lines = Object.entries(sizes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, excess]) => `  ${JSON.stringify(path)}: ${JSON.stringify(excess)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}
