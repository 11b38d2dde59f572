import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { StartupError } from '../startup-error.ts'

const KEY_BYTES = 32

/**
 * A key in a file, in hexadecimal; created if there is none. Throws StartupError when the file
 * holds something else: with another key, every CAVV issued before would be wrong.
 */
export async function openKey(path: string): Promise<Buffer> {
  try {
    await writeFile(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`, {
      flag: 'wx',
      mode: 0o600,
    })
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!isThere) throw error
  }
  const text = (await readFile(path, 'utf8')).trim()
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex')
  throw new StartupError(
    `The file ${path} does not hold ${KEY_BYTES} bytes in hexadecimal. Bring the right one back, ` +
      'or take the file away to have a new key made.',
  )
}
