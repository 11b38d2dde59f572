import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'

/** The result of the last run over one file. */
export interface FileRecord {
  /** Of the code without comments and line breaks. */
  readonly hash: string
  readonly mutants: number
  readonly noticed: number
  /** Number, change and text of the line of each mutant that no test noticed. */
  readonly survivors: readonly string[]
}

export type MutationRecord = ReadonlyMap<string, FileRecord>

const FILE = new URL('record.json', import.meta.url)

export function readRecord(): MutationRecord {
  return new Map(
    Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, FileRecord>),
  )
}

export function writeRecord(record: MutationRecord): void {
  const sorted = [...record].sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
}

/** A comment or a line break more does not ask for another run. */
export function hashOf(path: string, text: string): string {
  let code = ''
  let from = 0
  for (const { start, end } of parseSync(path, text).comments) {
    code += text.slice(from, start)
    from = end
  }
  code += text.slice(from)
  return createHash('sha256').update(code.replace(/\s+/g, ' ').trim()).digest('hex').slice(0, 16)
}

/** Mutants in all, and how many the tests notice. */
export function scoreOf(record: MutationRecord): { mutants: number; noticed: number } {
  const files = [...record.values()]
  return {
    mutants: files.reduce((sum, each) => sum + each.mutants, 0),
    noticed: files.reduce((sum, each) => sum + each.noticed, 0),
  }
}

/** Survivors that the record does not have. Numbers of lines may differ. */
export function newSurvivors(record: MutationRecord, result: MutationRecord): string[] {
  return [...result].flatMap(([path, { survivors }]) => {
    const known = (record.get(path)?.survivors ?? []).map(withoutLine)
    return survivors
      .filter((each) => !known.includes(withoutLine(each)))
      .map((each) => `${path}:${each}`)
  })
}

function withoutLine(survivor: string): string {
  return survivor.slice(survivor.indexOf('|'))
}

/** A sentence for each file whose code the record does not know. */
export function outdated(record: MutationRecord, sources: ReadonlyMap<string, string>): string[] {
  const changed = [...sources]
    .filter(([path, text]) => record.get(path)?.hash !== hashOf(path, text))
    .map(([path]) => `${path} has changed: npm run mutation -- --only ${path} --write`)
  const gone = [...record.keys()]
    .filter((path) => !sources.has(path))
    .map((path) => `${path} is gone: npm run mutation -- --write`)
  return [...changed, ...gone]
}

export function percent({ mutants, noticed }: { mutants: number; noticed: number }): string {
  // Rounded down: a score of 100 % means that nothing survives.
  return (Math.floor((noticed / mutants) * 1_000) / 10).toFixed(1)
}
