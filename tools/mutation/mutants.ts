import { parseSync } from 'oxc-parser'
import { replacementsOf, type Node, type Replacement } from './operators.ts'

/** One deliberate mistake in a source. */
export interface Mutant {
  readonly start: number
  readonly end: number
  readonly line: number
  /** The line as it stands, without its indentation. */
  readonly lineText: string
  /** The code and its replacement, in one line. */
  readonly change: string
  readonly text: string
}

const LONGEST_SHOWN = 60

/**
 * Every mutant of a TypeScript file, in the sequence of the code. Types have none: they are gone
 * when the code runs.
 */
export function mutantsOf(path: string, text: string): Mutant[] {
  const { program } = parseSync(path, text)
  const found: Replacement[] = []
  visit(program as unknown as Node, null, text, found)
  const seen = new Set<string>()
  return found
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map((each) => mutant(each, text))
    .filter((each) => {
      const isNew = !seen.has(each.text) && each.text !== text
      seen.add(each.text)
      return isNew
    })
}

function visit(node: Node, parent: Node | null, text: string, found: Replacement[]): void {
  if (isTypeOnly(node)) return
  found.push(...replacementsOf(node, parent, text))
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visit(child, node, text, found)
    }
  }
}

/** Wrappers around an expression that carry a type stay; everything else of types is left out. */
const WRAPPERS = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

function isTypeOnly({ type }: Node): boolean {
  return (type.startsWith('TS') && !WRAPPERS.has(type)) || type === 'ImportDeclaration'
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function mutant({ start, end, by }: Replacement, text: string): Mutant {
  const line = text.slice(0, start).split('\n').length
  return {
    start,
    end,
    line,
    lineText: (text.split('\n')[line - 1] ?? '').trim(),
    change: `${shown(text.slice(start, end))} → ${by === '' ? '(removed)' : shown(by)}`,
    text: `${text.slice(0, start)}${by}${text.slice(end)}`,
  }
}

function shown(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim()
  return line.length <= LONGEST_SHOWN ? line : `${line.slice(0, LONGEST_SHOWN - 1)}…`
}
