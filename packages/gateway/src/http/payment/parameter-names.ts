import type { NameLookup } from './form.ts'
import type { Parameter } from './parameters.ts'
import { PARAMETERS } from './parameters.ts'

/** The most lines of a request. A higher number is a known name, so that it can be refused. */
export const MAX_LINES = 99

/** The rows under each name that a request may have, those of line items under each number. */
const BY_NAME: ReadonlyMap<string, KnownParameter> = new Map(
  PARAMETERS.flatMap((parameter): [string, KnownParameter][] => {
    const { name } = parameter
    if (!name.endsWith('_n')) return [[name, { parameter, line: null }]]
    return Array.from({ length: MAX_LINES }, (_, at) => [
      name.slice(0, -1) + String(at + 1),
      { parameter, line: at + 1 },
    ])
  }),
)
const LINE_NAME = /^(LI_(?:PROD_ID|COUNT|VALUE|XTL_PROD_ID|TYPE)_)([0-9]+)$/

/** Every spelling seen in practice, so that the hot path is one look into a map. */
const KNOWN: ReadonlyMap<string, string> = buildKnown()

function buildKnown(): Map<string, string> {
  const known = new Map<string, string>()
  const add = (spelling: string, name: string) => {
    known.set(spelling, name)
    known.set(spelling.toLowerCase(), name)
  }
  for (const { name, aliases } of PARAMETERS) {
    if (name.endsWith('_n')) {
      for (let line = 1; line <= MAX_LINES; line += 1) {
        const numbered = name.slice(0, -1) + String(line)
        add(numbered, numbered)
      }
      continue
    }
    add(name, name)
    for (const alias of aliases) add(alias, name)
  }
  return known
}

/** The known name behind a name as sent: any case of letters, aliases, any line number. */
export const lookUpName: NameLookup = (sent) => {
  const quick = KNOWN.get(sent)
  if (quick !== undefined) return quick
  if (sent.length > 64) return null
  const upper = sent.toUpperCase()
  const known = KNOWN.get(upper)
  if (known !== undefined) return known
  // LI_VALUE_0, LI_VALUE_01 and LI_VALUE_100 are meant as amounts. They are no line of any request,
  // and an amount that is silently left out would charge something else than was asked.
  return LINE_NAME.test(upper) ? upper : null
}

/** A row of the table, and the line item that a name of it is for; null: it is for none. */
export interface KnownParameter {
  readonly parameter: Parameter
  readonly line: number | null
}

/** The table's entry of a known name; null for a line name with an impossible number. */
export function findParameter(name: string): KnownParameter | null {
  return BY_NAME.get(name) ?? null
}

export function describeParameter(name: string): Parameter | null {
  return BY_NAME.get(name)?.parameter ?? null
}

/** The number of a line parameter; null for any other name and for impossible numbers. */
export function lineNumberOf(name: string): number | null {
  if (!name.startsWith('LI_')) return null
  const digits = name.slice(name.lastIndexOf('_') + 1)
  return isLineNumber(digits) ? Number(digits) : null
}

function isLineNumber(digits: string): boolean {
  return /^[1-9][0-9]?$/.test(digits)
}

const RANKS: ReadonlyMap<string, number> = new Map(
  PARAMETERS.map(({ name }, index) => [name, index]),
)
const FIRST_LINE_RANK = RANKS.get('LI_PROD_ID_n') ?? 0

/**
 * The position of a parameter in the order of the checks. Line items are checked line by line, so
 * all of line 1 comes before line 2. Impossible line numbers come after the possible ones.
 */
export function rankOf(name: string): number {
  const plain = RANKS.get(name)
  if (plain !== undefined) return plain
  const line = lineNumberOf(name) ?? MAX_LINES + 1
  const stem = name.replace(/[0-9]+$/, 'n')
  const within = (RANKS.get(stem) ?? FIRST_LINE_RANK) - FIRST_LINE_RANK
  return FIRST_LINE_RANK + (line * 5 + within) / 1000
}
