import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** Wraps data keys under a key-encrypting key that never touches the database. */
export interface KeyWrapper {
  /** Names the key-encrypting key without telling anything of it. */
  readonly id: string
  wrap(key: Buffer): Promise<Buffer>
  unwrap(wrapped: Buffer): Promise<Buffer>
}

/** A key-encrypting key of 32 bytes held by this process: AES-256-GCM, nonce first, tag last. */
export function createLocalKeyWrapper(key: Buffer): KeyWrapper {
  if (key.length !== 32) {
    throw new Error(`The key-encrypting key has ${key.length} bytes; 32 are needed.`)
  }
  const id = `local:${createHash('sha256').update('tollgate kek id').update(key).digest('hex').slice(0, 16)}`
  return {
    id,
    async wrap(dataKey) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const ciphertext = Buffer.concat([cipher.update(dataKey), cipher.final()])
      return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()])
    },
    async unwrap(wrapped) {
      const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, 12))
      decipher.setAuthTag(wrapped.subarray(-16))
      try {
        return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()])
      } catch (cause) {
        throw new Error(
          `A data key can't be unwrapped with the key-encrypting key ${id}: it was wrapped with another ` +
            'one, or changed. Start with the key that this database was made with.',
          { cause },
        )
      }
    },
  }
}
