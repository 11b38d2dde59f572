import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { IdLevels } from './id-sequences.ts'

/** The ids that this node has seen assigned by its database, noted outside of the database. */
export interface IdMarks {
  levels(): IdLevels
  /**
   * Resolves when the higher ones of these levels are on the disk. Resolves too when they cannot be
   * written, after the error was reported: a full disk of this node stops no payment.
   */
  note(levels: IdLevels): Promise<void>
}

const FOLDER = 'id-marks'
const FILE = /^([1-9][0-9]*)-[0-9a-f]+\.json$/

/** The marks of all processes of a node for a database. A damaged file counts as none. */
export function readIdMarks(dataDir: string, identity: string): Map<string, bigint> {
  const folder = folderOf(dataDir, identity)
  const levels = new Map<string, bigint>()
  for (const name of markFiles(folder)) raise(levels, readLevels(join(folder, name)))
  return levels
}

/**
 * The marks of one process, which begin with those of all processes of its node. Each process has a
 * file of its own, so that none overwrites a mark of another; those of ended processes are merged.
 */
export async function openIdMarks(
  dataDir: string,
  identity: string,
  onTrouble: (error: unknown) => void,
): Promise<IdMarks> {
  const folder = folderOf(dataDir, identity)
  const left = markFiles(folder).filter(isOfEndedProcess)
  const levels = readIdMarks(dataDir, identity)
  const file = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}.json`)
  let running: Promise<boolean> = Promise.resolve(true)
  let waiting: Promise<boolean> | null = null

  /** Calls that come while a write is under way share the next one. */
  const save = (): Promise<boolean> =>
    (waiting ??= running.then(() => {
      running = waiting ?? running
      waiting = null
      return writeSynced(folder, file, levels).then(
        () => true,
        (error: unknown) => {
          onTrouble(error)
          return false
        },
      )
    }))

  if (levels.size > 0 && (await save())) {
    for (const name of left) await rm(join(folder, name), { force: true })
  }
  return {
    levels: () => levels,
    async note(noted) {
      // A level that is known already may still be on its way to the disk.
      await (raise(levels, noted) ? save() : (waiting ?? running))
    },
  }
}

/** Whether any level became higher. */
function raise(levels: Map<string, bigint>, noted: IdLevels): boolean {
  let isRaised = false
  for (const [sequence, level] of noted) {
    if (level <= (levels.get(sequence) ?? 0n)) continue
    levels.set(sequence, level)
    isRaised = true
  }
  return isRaised
}

function folderOf(dataDir: string, identity: string): string {
  return join(dataDir, FOLDER, identity)
}

function markFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => FILE.test(name))
  } catch {
    return []
  }
}

function isOfEndedProcess(name: string): boolean {
  try {
    process.kill(Number(FILE.exec(name)?.[1]), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function readLevels(path: string): Map<string, bigint> {
  const levels = new Map<string, bigint>()
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof parsed !== 'object' || parsed === null) return levels
    for (const [sequence, level] of Object.entries(parsed)) {
      if (typeof level === 'string' && /^[0-9]{1,18}$/.test(level)) {
        levels.set(sequence, BigInt(level))
      }
    }
  } catch {
    // Merged into the file of another process since the folder was read, or damaged.
  }
  return levels
}

/** Replaces the file as a whole: after a loss of power it has the old levels or the new ones. */
async function writeSynced(folder: string, file: string, levels: IdLevels): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const texts = Object.fromEntries([...levels].map(([name, level]) => [name, level.toString()]))
  const draft = `${file}.draft`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(texts)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
  const directory = await open(folder, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
