import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Finding, makeLinter } from './lint.ts'
import { passagesOf, proseFiles, read, root } from './prose-files.ts'

const GLOSSARY = 'docs/glossary.md'
const CACHE = join(root, 'node_modules', '.cache', 'prose-lint.json')

/** Findings of a file, and the content that they were found in. */
interface Cached {
  readonly hash: string
  readonly findings: readonly Finding[]
}

interface Cache {
  /** The rules and words that all findings come from. */
  readonly rules: string
  readonly files: Readonly<Record<string, Cached>>
}

/** The findings of each file. A file that has not changed since the last run is not read again. */
export async function allFindings(): Promise<Map<string, readonly Finding[]>> {
  const rules = hashOf(RULES.map(read).join('\0'))
  const cached = readCache(rules)
  const linter = makeLinter(read(GLOSSARY))
  const entries: [string, Cached][] = []
  for (const path of proseFiles()) {
    const text = read(path)
    const hash = hashOf(text)
    const known = cached[path]
    const findings =
      known?.hash === hash ? known.findings : await linter.lint(path, passagesOf(path, text))
    entries.push([path, { hash, findings }])
  }
  writeCache({ rules, files: Object.fromEntries(entries) })
  return new Map(entries.map(([path, { findings }]) => [path, findings]))
}

const RULES = ['passages.ts', 'prose-files.ts', 'sentences.ts', 'rules.ts', 'lint.ts', 'words.json']
  .map((name) => `tools/prose-lint/${name}`)
  .concat(GLOSSARY, 'package-lock.json')

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function readCache(rules: string): Cache['files'] {
  try {
    const cache = JSON.parse(readFileSync(CACHE, 'utf8')) as Cache
    return cache.rules === rules ? cache.files : {}
  } catch {
    return {}
  }
}

function writeCache(cache: Cache): void {
  mkdirSync(dirname(CACHE), { recursive: true })
  const unfinished = `${CACHE}.${process.pid}`
  writeFileSync(unfinished, JSON.stringify(cache))
  renameSync(unfinished, CACHE)
}
