import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startOf } from './running-process.ts'
import { folderError, StartupError } from './startup-error.ts'

/** The file that says which process works in a data folder. */
const CLAIM_FILE = 'running.pid'

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** The process behind a claim while that very process runs; null when it is gone. */
function liveHolder(claim: string): number | null {
  const [pid = '', started = ''] = claim.trim().split(' ')
  if (!/^\d+$/.test(pid)) return null
  return startOf(Number(pid))?.replaceAll(' ', '_') === started && started !== ''
    ? Number(pid)
    : null
}

/** Takes a dead process's claim away, and only that one: another may have replaced it meanwhile. */
function removeStale(file: string, stale: string): void {
  const aside = `${file}.${randomBytes(4).toString('hex')}`
  try {
    renameSync(file, aside)
  } catch {
    return // Another process has removed it.
  }
  const moved = read(aside)
  if (moved === stale) unlinkSync(aside)
  else renameSync(aside, file)
}

/**
 * Claims an existing folder for this process, until the returned function is called or the process
 * ends.
 * @throws StartupError if a live process has claimed the folder, or the folder is not writable.
 */
export function claimFolder(folder: string): () => void {
  const file = join(folder, CLAIM_FILE)
  const claim = `${process.pid} ${(startOf(process.pid) ?? '').replaceAll(' ', '_')}\n`
  for (let attempt = 0; attempt < 10; attempt += 1) {
    try {
      writeFileSync(file, claim, { flag: 'wx', mode: 0o600 })
      return () => {
        if (read(file) === claim) unlinkSync(file)
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw folderError(folder, error)
    }
    const held = read(file)
    if (held === null) continue
    const holder = liveHolder(held)
    if (holder !== null) {
      throw new StartupError(
        `The data folder ${folder} is in use by process ${holder}: ` +
          'stop that one, or set DATA_DIR to another folder.',
      )
    }
    removeStale(file, held)
  }
  throw new StartupError(`The data folder ${folder} is being claimed by several processes at once.`)
}
