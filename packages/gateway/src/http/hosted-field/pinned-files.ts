import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InventoryEntry } from './inventory.ts'

/**
 * Reads a file of the folder. Throws an error when it differs from the inventory in any byte.
 * `part` names what the file belongs to, for the reader of the error.
 */
export function readPinnedFile(
  folder: string,
  { file, integrity }: InventoryEntry,
  part: string,
): Buffer {
  const body = readFileSync(join(folder, file))
  const found = `sha384-${createHash('sha384').update(body).digest('base64')}`
  if (found !== integrity) {
    throw new Error(
      `${join(folder, file)} is not the file that belongs to this version. Its hash is ${found}, ` +
        `expected ${integrity}. It is a part of ${part}, so the gateway does not start. ` +
        'Install the gateway again, and find out who changed it.',
    )
  }
  return body
}

/** For text and for attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
