import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

// docs/vault-format.md describes the format for readers in other languages. It is the STREAM
// construction: each chunk's nonce states its number and whether it is the last.

const MAGIC = Buffer.from('TGVAULT1')
const INFO = 'tollgate vault export 1'
const LENGTH_BYTES = 4
const TAG_BYTES = 16
const LONGEST_HEADER = 4_096
const LONGEST_CHUNK = 4 * 1_024 * 1_024

/** The readable head of a file. */
export interface VaultFileHeader {
  /** Names the vault that the file came from, for imports that are repeated. */
  readonly origin: string
  readonly createdAt: string
}

/** The file cannot be read to its end as it was written. */
export class VaultFileError extends Error {
  override readonly name = 'VaultFileError'
}

export interface VaultFileWriter {
  /** The beginning of the file. */
  readonly head: Buffer
  /** The next bytes of the file. Every file ends with one chunk that is the last. */
  chunk(text: string, isLast: boolean): Buffer
}

/** Encrypts under a key derived from `key` (32 bytes) for this file alone. */
export function createVaultFileWriter(key: Buffer, header: VaultFileHeader): VaultFileWriter {
  const salt = randomBytes(16)
  const json = Buffer.from(
    JSON.stringify({
      origin: header.origin,
      created_at: header.createdAt,
      salt: salt.toString('base64'),
    }),
  )
  const head = Buffer.concat([MAGIC, lengthOf(json.length), json])
  const contentKey = contentKeyOf(key, salt)
  let number = 0n
  return {
    head,
    chunk(text, isLast) {
      const cipher = createCipheriv('aes-256-gcm', contentKey, nonceOf(number, isLast))
      cipher.setAAD(head)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      number += 1n
      return Buffer.concat([lengthOf(body.length), body])
    },
  }
}

export interface VaultFileReader {
  readonly header: VaultFileHeader
  /** Texts of the chunks. Ends only after a chunk that was written as the last one. */
  readonly chunks: AsyncGenerator<{ readonly text: string; readonly isLast: boolean }>
}

/**
 * Reads a file as it comes. Throws VaultFileError at the first byte that is not as it was written.
 */
export async function readVaultFile(
  source: AsyncIterable<Buffer>,
  key: Buffer,
): Promise<VaultFileReader> {
  const take = createTaker(source)
  const magic = await take(MAGIC.length)
  if (magic === null || !magic.equals(MAGIC)) {
    throw new VaultFileError('The file is no vault export: it must begin with TGVAULT1.')
  }
  const length = await takeLength(take, LONGEST_HEADER)
  const json = await takeWhole(take, length)
  const { header, salt } = parseHeader(json)
  const head = Buffer.concat([MAGIC, lengthOf(length), json])
  return { header, chunks: decryptChunks(take, contentKeyOf(key, salt), head) }
}

async function* decryptChunks(take: Take, key: Buffer, head: Buffer): VaultFileReader['chunks'] {
  for (let number = 0n; ; number += 1n) {
    const length = await takeLength(take, LONGEST_CHUNK + TAG_BYTES)
    if (length < TAG_BYTES) throw changed()
    const body = await takeWhole(take, length)
    const going = decrypt(key, nonceOf(number, false), head, body)
    const text = going ?? decrypt(key, nonceOf(number, true), head, body)
    if (text === null) {
      throw number === 0n
        ? new VaultFileError(
            'The file cannot be opened: the key is another one, or the file was changed.',
          )
        : changed()
    }
    const isLast = going === null
    // Before anybody relies on the end of it.
    if (isLast && (await take(1)) !== null) throw changed()
    yield { text, isLast }
    if (isLast) return
  }
}

function decrypt(key: Buffer, nonce: Buffer, head: Buffer, body: Buffer): string | null {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(head)
  decipher.setAuthTag(body.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([
      decipher.update(body.subarray(0, -TAG_BYTES)),
      decipher.final(),
    ]).toString('utf8')
  } catch {
    return null
  }
}

function contentKeyOf(key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, INFO, 32))
}

/** 4 bytes: 1 for the last chunk, else 0; 8 bytes: its number from 0. */
function nonceOf(number: bigint, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(isLast ? 1 : 0, 0)
  nonce.writeBigUInt64BE(number, 4)
  return nonce
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES)
  bytes.writeUInt32BE(length)
  return bytes
}

function parseHeader(json: Buffer): { header: VaultFileHeader; salt: Buffer } {
  try {
    const {
      origin,
      created_at: createdAt,
      salt,
    } = JSON.parse(json.toString('utf8')) as Record<string, unknown>
    if (typeof origin !== 'string' || typeof createdAt !== 'string' || typeof salt !== 'string')
      throw changed()
    return { header: { origin, createdAt }, salt: Buffer.from(salt, 'base64') }
  } catch {
    throw changed()
  }
}

/** Null at the end of the file. */
type Take = (length: number) => Promise<Buffer | null>

function createTaker(source: AsyncIterable<Buffer>): Take {
  const parts = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  return async (length) => {
    while (rest.length < length) {
      const part = await parts.next()
      if (part.done === true) {
        if (rest.length === 0) return null
        throw truncated()
      }
      rest = Buffer.concat([rest, part.value])
    }
    const taken = rest.subarray(0, length)
    rest = rest.subarray(length)
    return taken
  }
}

async function takeWhole(take: Take, length: number): Promise<Buffer> {
  const bytes = length === 0 ? Buffer.alloc(0) : await take(length)
  if (bytes === null) throw truncated()
  return bytes
}

async function takeLength(take: Take, longest: number): Promise<number> {
  const length = (await takeWhole(take, LENGTH_BYTES)).readUInt32BE()
  if (length > longest) throw changed()
  return length
}

function truncated(): VaultFileError {
  return new VaultFileError('The file ends too early: a part of it is missing.')
}

function changed(): VaultFileError {
  return new VaultFileError(
    'The file was changed after it was written: it has a part that does not belong there.',
  )
}
