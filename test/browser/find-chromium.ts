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

/**
 * The browser without its windows, which computes a fifth less. It keeps frames of other sites in
 * one process, so it is for pages of one site only.
 */
export const HEADLESS_SHELL = findProgram('chromium-headless-shell') ?? CHROMIUM
