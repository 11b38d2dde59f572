import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ClusterMark } from './primary-choice.ts'

/** Keeps the mark of a node's cluster beyond the end of its processes. */
export interface ClusterMemory {
  /** Null where no mark is kept, or it is unreadable. */
  read(): ClusterMark | null
  /** @throws the file system's error */
  write(mark: ClusterMark): void
}

/** A DATABASE_URL, and what is known of the cluster behind it; a text alone has no memory. */
export type DatabaseAddress = string | { readonly url: string; readonly memory: ClusterMemory }

/** The address with its memory, if there is one. */
export function addressOf(url: string, memory: ClusterMemory | undefined): DatabaseAddress {
  return memory === undefined ? url : { url, memory }
}

const FILE = 'database-cluster.json'

/** The mark of a node in its DATA_DIR: `{"systemIdentifier":"7…","timeline":2}`. */
export function clusterFile(dataDir: string): ClusterMemory {
  const path = join(dataDir, FILE)
  return {
    read() {
      const text = textOf(path)
      return text === null ? null : parseMark(text)
    },
    write(mark) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      // Several workers may write at once, and a reader must never see a part.
      const draft = `${path}.${process.pid}`
      writeFileSync(draft, `${JSON.stringify(mark)}\n`, { mode: 0o600, flush: true })
      renameSync(draft, path)
    },
  }
}

/** The same for a command, which obeys the mark of the node and never changes it. */
export function readClusterFile(dataDir: string): ClusterMemory {
  return { read: clusterFile(dataDir).read, write: () => undefined }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function parseMark(text: string): ClusterMark | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null) return null
    const { systemIdentifier, timeline } = parsed as Partial<Record<string, unknown>>
    if (typeof systemIdentifier !== 'string' || typeof timeline !== 'number') return null
    return { systemIdentifier, timeline }
  } catch {
    return null
  }
}
