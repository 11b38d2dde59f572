import { createSandboxVaultKey } from '@tollgate/gateway/config'
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { claimFolder } from './folder-claim.ts'
import type { Log } from './log.ts'
import { folderError, StartupError } from './startup-error.ts'

/**
 * Makes the data folder where it is missing, and claims it until the returned function is called.
 * @throws StartupError if it cannot be written, or another process uses it.
 */
export function prepareDataFolder(dataDir: string): () => void {
  try {
    makeFolder(dataDir)
    return claimFolder(realpathSync(dataDir))
  } catch (error) {
    throw error instanceof StartupError ? error : folderError(dataDir, error)
  }
}

/**
 * Makes a folder, and those above it that are missing, for this user only. Node's own recursive
 * mode repeats for ever where a file system makes no folders, such as /proc.
 * @param folder an absolute path
 * @throws the system's error
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  const above = dirname(folder)
  if (above !== folder) makeFolder(above)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Makes the key of a sandbox that has none. @throws StartupError if it cannot be written */
export function createVaultKey(file: string, log: Log): void {
  try {
    createSandboxVaultKey(file)
    log.info(`created a vault key for the sandbox in ${file}`)
  } catch (error) {
    throw folderError(file, error)
  }
}
