import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

/**
 * The format of every object of a backup (docs/backup-format.md):
 * magic, id of the key, salt, ciphertext, tag. The key of each object is derived from the backup
 * key and a random salt, so one nonce serves all. The name of the object is authenticated, so that
 * none can stand in for another.
 */
const MAGIC = Buffer.from('TGB1')
const KEY_ID_BYTES = 8
const SALT_BYTES = 32
const TAG_BYTES = 16
const HEAD_BYTES = MAGIC.length + KEY_ID_BYTES + SALT_BYTES
const NONCE = Buffer.alloc(12)
const INFO = 'tollgate backup object 1'
/** A length in front of the facts. */
const LENGTH_BYTES = 4
/** Longer contents are a damaged or hostile file. */
export const MOST_CONTENT_BYTES = 1_100_000_000

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** An object that is damaged, of another key, or not of a backup. The message is a sentence. */
export class SealError extends Error {
  override readonly name = 'SealError'
}

/** The key of backups: 32 bytes, and a short name that reveals nothing of them. */
export interface BackupKey {
  readonly bytes: Buffer
  readonly id: Buffer
}

/** @param text base64 of 32 bytes, which the settings have checked */
export function backupKey(text: string): BackupKey {
  const bytes = Buffer.from(text, 'base64')
  const id = createHash('sha256').update('tollgate backup key id').update(bytes).digest()
  return { bytes, id: id.subarray(0, KEY_ID_BYTES) }
}

/** Facts about the content of an object. */
export type ObjectFacts = Readonly<Record<string, unknown>>

/** Compresses and encrypts one object. */
export async function sealObject(
  key: BackupKey,
  name: string,
  facts: ObjectFacts,
  content: Buffer,
): Promise<Buffer> {
  const head = Buffer.from(JSON.stringify(facts))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(head.length)
  // The fastest level: pages and log compress well at any, and payments share the processor.
  const plain = await compress(Buffer.concat([length, head, content]), { level: 1 })
  const opening = Buffer.concat([MAGIC, key.id, randomBytes(SALT_BYTES)])
  const cipher = createCipheriv('aes-256-gcm', objectKey(key, opening), NONCE)
  cipher.setAAD(Buffer.concat([opening, Buffer.from(name)]))
  const sealed = [cipher.update(plain), cipher.final()]
  return Buffer.concat([opening, ...sealed, cipher.getAuthTag()])
}

/**
 * Decrypts one object.
 * @throws SealError if it is of another key, or any byte of it or its name was changed
 */
export async function openObject(
  key: BackupKey,
  name: string,
  sealed: Buffer,
): Promise<{ readonly facts: ObjectFacts; readonly content: Buffer }> {
  if (sealed.length < HEAD_BYTES + TAG_BYTES || !sealed.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new SealError(`The object ${name} is not of a backup, or was cut off.`)
  }
  const opening = sealed.subarray(0, HEAD_BYTES)
  const id = opening.subarray(MAGIC.length, MAGIC.length + KEY_ID_BYTES)
  if (!id.equals(key.id)) {
    throw new SealError(
      `The object ${name} was encrypted under the key ${id.toString('hex')}, and BACKUP_KEY is ` +
        `${key.id.toString('hex')}. Set BACKUP_KEY to the key of that backup.`,
    )
  }
  const decipher = createDecipheriv('aes-256-gcm', objectKey(key, opening), NONCE)
  decipher.setAAD(Buffer.concat([opening, Buffer.from(name)]))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  let compressed: Buffer
  try {
    const ciphertext = sealed.subarray(HEAD_BYTES, -TAG_BYTES)
    compressed = Buffer.concat([decipher.update(ciphertext), decipher.final()])
  } catch {
    throw new SealError(
      `The object ${name} is damaged: its content does not match its authentication tag.`,
    )
  }
  const plain = await expand(compressed, { maxOutputLength: MOST_CONTENT_BYTES })
  const end = LENGTH_BYTES + plain.readUInt32BE()
  const facts = JSON.parse(plain.subarray(LENGTH_BYTES, end).toString()) as ObjectFacts
  return { facts, content: plain.subarray(end) }
}

function objectKey(key: BackupKey, opening: Buffer): Buffer {
  const salt = opening.subarray(-SALT_BYTES)
  return Buffer.from(hkdfSync('sha256', key.bytes, salt, INFO, 32))
}
