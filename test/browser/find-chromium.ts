import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program of this machine by its name; null where there is none. */
export function findProgram(name: string): string | null {
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

/** The browser that people use. */
export const WHOLE_CHROMIUM = findProgram('chromium')

/**
 * The browser of the tests. The headless shell has the same pages without the windows of a browser,
 * and computes a fifth less.
 */
export const CHROMIUM = findProgram('chromium-headless-shell') ?? WHOLE_CHROMIUM
