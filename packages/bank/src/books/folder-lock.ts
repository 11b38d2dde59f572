import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartupError, reasonOf } from '../startup-error.ts'

/** The result code with which SQLite says that somebody else has the file. */
const SQLITE_BUSY = 5

/**
 * Takes the folder for this process until it ends or `release` is called. The lock is the kernel's
 * own file lock, which SQLite takes on an empty database: it goes away with the process, however
 * that ends, so there is no stale lock to judge. Throws StartupError when another bank has it.
 */
export function lockFolder(folder: string): { release(): void } {
  const path = join(folder, 'lock')
  let database: DatabaseSync
  try {
    database = new DatabaseSync(path, { timeout: 0 })
  } catch (error) {
    throw new StartupError(`The bank can not open ${path}: ${reasonOf(error)}.`, { cause: error })
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
    throw new StartupError(`The bank can not lock ${path}: ${reasonOf(error)}.`, { cause: error })
  }
  return { release: () => database.close() }
}
