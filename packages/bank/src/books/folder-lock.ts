import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartupError, reasonOf } from '../startup-error.ts'

/** SQLite's result code for a file that another process has locked. */
const SQLITE_BUSY = 5

/**
 * Locks the folder for this process until it ends or `release` is called. It uses the kernel's file
 * lock, which SQLite sets on an empty database. The kernel removes it with the process, so no lock
 * is ever stale. Throws StartupError when another bank has it.
 */
export function lockFolder(folder: string): { release(): void } {
  const path = join(folder, 'lock')
  let database: DatabaseSync
  try {
    database = new DatabaseSync(path, { timeout: 0 })
  } catch (error) {
    throw new StartupError(`The bank cannot open ${path}: ${reasonOf(error)}.`, { cause: error })
  }
  try {
    database.exec('PRAGMA journal_mode = memory; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new StartupError(
        `Another bank is using the folder ${folder}. Stop it, or give this one another DATA_DIR.`,
      )
    }
    throw new StartupError(`The bank cannot lock ${path}: ${reasonOf(error)}.`, { cause: error })
  }
  return { release: () => database.close() }
}
