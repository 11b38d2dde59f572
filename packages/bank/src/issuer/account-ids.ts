import { hash, randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { invariant } from '../invariant.ts'
import { StartupError } from '../startup-error.ts'

/** The name of the key file in the bank's folder. */
export const ACCOUNT_KEY_NAME = 'account-key'

/** Turns card numbers into account ids; the books know cards by nothing else. */
export interface AccountIds {
  /** HMAC-SHA-256 of the whole number under the folder's key, 128 bits in hexadecimal. */
  idOf(pan: string): string
  /** Identifies the key without revealing anything about it. */
  readonly check: string
}

const KEY_BYTES = 32

/**
 * Reads the folder's key, and makes one where there is none and `mayCreate`. Throws StartupError
 * when the key is missing or not a key. With another key, no account would be recognized.
 */
export async function openAccountIds(folder: string, mayCreate: boolean): Promise<AccountIds> {
  const path = join(folder, ACCOUNT_KEY_NAME)
  let text = await readIfThere(path)
  if (text === null) {
    if (!mayCreate) {
      throw new StartupError(
        `The bank's folder ${folder} has a journal but no ${ACCOUNT_KEY_NAME}. Bring the key ` +
          'file back, or start with an empty folder.',
      )
    }
    text = randomBytes(KEY_BYTES).toString('hex')
    await writeNew(path, text)
  }
  const key = Buffer.from(text.trim(), 'hex')
  if (key.length !== KEY_BYTES) {
    throw new StartupError(
      `The file ${path} does not hold ${KEY_BYTES} bytes in hexadecimal. Bring the right one back.`,
    )
  }
  const digest = createKeyedDigest(key)
  return { idOf: (pan) => digest(pan).slice(0, 32), check: digest('account key').slice(0, 16) }
}

/** The longest text that is digested, in bytes. */
const LONGEST_TEXT = 64

/**
 * HMAC-SHA-256 in hexadecimal (RFC 2104) of a short ASCII text, for a key of at most 64 bytes. By
 * two plain hashes over buffers that are kept: half the time of node:crypto's Hmac, each time.
 */
export function createKeyedDigest(key: Buffer): (text: string) => string {
  invariant(key.length <= 64, 'an HMAC key is longer than one block')
  const inner = Buffer.alloc(64 + LONGEST_TEXT, 0x36)
  const outer = Buffer.alloc(64 + 32, 0x5c)
  for (const [index, byte] of key.entries()) {
    inner[index] = byte ^ 0x36
    outer[index] = byte ^ 0x5c
  }
  return (text) => {
    invariant(text.length <= LONGEST_TEXT, 'a text is too long for its keyed digest')
    const length = inner.write(text, 64, 'latin1')
    outer.write(hash('sha256', inner.subarray(0, 64 + length), 'latin1'), 64, 'latin1')
    return hash('sha256', outer, 'hex')
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** On the disk before the first record that depends on it. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(`${text}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}
