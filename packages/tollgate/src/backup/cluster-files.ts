import type { Dirent } from 'node:fs'
import { open, readdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

const READ_BYTES = 2 ** 20

/** Contents that the server makes again, or that must not come into another cluster. */
const LEFT_OUT_FOLDERS = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])
const LEFT_OUT_FILES = /^(?:postmaster\.(?:pid|opts)|backup_label.*|tablespace_map.*|.*\.signal)$/
const TEMPORARY = /^pgsql_tmp/
/** A file of a table or an index: its number, and the fork. */
const RELATION = /^(\d+)(?:_(fsm|vm|init))?(?:\.\d+)?$/
/** Read last, so that it is no older than the files that it describes. */
export const CONTROL_FILE = 'global/pg_control'

/** A file or folder of a cluster, by its path in there. */
interface Entry {
  readonly path: string
  readonly isFolder: boolean
}

/** The contents for a copy of a cluster, without the control file. */
export async function* entriesOf(clusterDir: string, folder = ''): AsyncGenerator<Entry> {
  const entries = await readFolder(join(clusterDir, folder))
  const unlogged = unloggedIn(entries)
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (TEMPORARY.test(entry.name) || isUnlogged(entry.name, unlogged)) continue
    if (entry.isDirectory()) {
      yield { path, isFolder: true }
      if (!LEFT_OUT_FOLDERS.has(path)) yield* entriesOf(clusterDir, path)
    } else if (entry.isFile() && path !== CONTROL_FILE && !isLeftOut(path)) {
      yield { path, isFolder: false }
    }
  }
}

/** The numbers of the unlogged relations of a folder: those with an empty copy of themselves. */
function unloggedIn(entries: readonly Dirent[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap(({ name }) => {
      const [, number = '', fork] = RELATION.exec(name) ?? []
      return fork === 'init' ? [number] : []
    }),
  )
}

/**
 * Content of an unlogged table, which a recovery empties. It must not be in a copy: security codes
 * that wait for their payment are in such a table.
 */
function isUnlogged(name: string, unlogged: ReadonlySet<string>): boolean {
  const [, number = '', fork] = RELATION.exec(name) ?? []
  return fork !== 'init' && unlogged.has(number)
}

function isLeftOut(path: string): boolean {
  return LEFT_OUT_FILES.test(path)
}

/** A table that is dropped meanwhile takes its files along; the log drops it again. */
async function readFolder(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Reads a file up to its end. Gives its length; null for one that was dropped. */
export async function readWhole(
  clusterDir: string,
  path: string,
  take: (part: Buffer) => Promise<void>,
): Promise<number | null> {
  let file: FileHandle
  try {
    file = await open(join(clusterDir, path), 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    if (path === CONTROL_FILE) return await readStable(file, take)
    const part = Buffer.alloc(READ_BYTES)
    let length = 0
    while (true) {
      const { bytesRead } = await file.read(part, 0, READ_BYTES, length)
      if (bytesRead === 0) return length
      length += bytesRead
      await take(part.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

/** The log does not repair a control file that was read while it was written. */
async function readStable(
  file: FileHandle,
  take: (part: Buffer) => Promise<void>,
): Promise<number> {
  const read = async (): Promise<Buffer> => {
    const content = Buffer.alloc(READ_BYTES)
    const { bytesRead } = await file.read(content, 0, READ_BYTES, 0)
    return content.subarray(0, bytesRead)
  }
  let last = await read()
  for (let again = await read(); !again.equals(last); again = await read()) last = again
  await take(last)
  return last.length
}
