import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Evidence } from './program-run.ts'

const PART = 64 * 1024 * 1024
/** Parts overlap, so that nothing hides at their border. */
const OVERLAP = 4_096

/** The name and the contents of every file under a folder. */
export function* filesUnder(folder: string): Iterable<Evidence> {
  for (const entry of readdirSync(folder)) {
    const path = join(folder, entry)
    yield { name: `the name of ${path}`, bytes: Buffer.from(entry) }
    const facts = lstatSync(path)
    if (facts.isDirectory()) yield* filesUnder(path)
    else if (facts.isSymbolicLink()) yield { name: path, bytes: Buffer.from(readlinkSync(path)) }
    else if (facts.isFile()) yield* partsOf(path)
  }
}

function* partsOf(path: string): Iterable<Evidence> {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    for (let from = 0; from < size; from += PART - OVERLAP) {
      const bytes = Buffer.alloc(Math.min(PART, size - from))
      readSync(file, bytes, 0, bytes.length, from)
      yield { name: path, bytes }
    }
  } finally {
    closeSync(file)
  }
}
