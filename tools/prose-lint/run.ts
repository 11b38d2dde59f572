// `npm run check:prose`: prints findings of files that have more of them than on record. With
// paths, it prints all findings of the files that begin so. With `--count`, it prints a table of
// counts; with `--lower`, it writes smaller numbers into the record.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allFindings } from './all-findings.ts'
import type { Finding } from './lint.ts'
import { read, root } from './prose-files.ts'
import { type Counts, growths, lowered, writtenCounts } from './record.ts'

const RECORD = 'tools/prose-lint/record.json'

type Found = ReadonlyMap<string, readonly Finding[]>

const args = process.argv.slice(2)
const found = await allFindings()
if (args.includes('--count')) printCounts(found)
else if (args.includes('--lower')) lowerRecord(found)
else if (args.length > 0) printFindings(found, (path) => args.some((arg) => path.startsWith(arg)))
else check(found)

function countsOf(all: Found): Counts {
  return Object.fromEntries([...all].map(([path, findings]) => [path, findings.length]))
}

function check(all: Found): void {
  const recorded = JSON.parse(read(RECORD)) as Counts
  const grown = growths(recorded, countsOf(all))
  if (grown.length === 0) return
  const paths = new Set(grown.map((sentence) => sentence.split(': ')[0]))
  printFindings(all, (path) => paths.has(path))
  print(`\nMore findings than ${RECORD} allows (rules: docs/writing.md).`)
  print('A file that moved takes its line there along.')
  print(grown.join('\n'))
  process.exitCode = 1
}

function lowerRecord(all: Found): void {
  const counts = countsOf(all)
  // Without a record it begins one.
  const recorded = existsSync(join(root, RECORD)) ? (JSON.parse(read(RECORD)) as Counts) : counts
  writeFileSync(join(root, RECORD), writtenCounts(lowered(recorded, counts)))
}

function printFindings(all: Found, isWanted: (path: string) => boolean): void {
  for (const [path, findings] of all) {
    if (!isWanted(path)) continue
    for (const { line, rule, message } of findings) print(`${path}:${line} ${rule}: ${message}`)
  }
}

function printCounts(all: Found): void {
  const counts = new Map<string, number>()
  for (const { kind, rule } of [...all.values()].flat()) {
    const key = `${kind.padEnd(12)} ${rule}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  for (const [key, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    print(`${key.padEnd(40)} ${count}`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
