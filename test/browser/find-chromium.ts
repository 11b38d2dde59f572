import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program of this machine by its name; null where there is none. */
function findProgram(name: string): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder.
    }
  }
  return null
}

export const CHROMIUM = findProgram('chromium')

/** The browser without its windows. */
export const HEADLESS_SHELL = findProgram('chromium-headless-shell') ?? CHROMIUM
