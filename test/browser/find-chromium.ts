import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The Chromium of this machine; null where there is none. */
export function findChromium(): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'chromium')
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder.
    }
  }
  return null
}

export const CHROMIUM = findChromium()
