import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** The row that a wrapped data key is for; elsewhere it does not unwrap. */
export interface KeyBinding {
  readonly purpose: 'pan' | 'fingerprint'
  readonly id: number
}

/** Wraps data keys under a key-encrypting key that never touches the database. */
export interface KeyWrapper {
  /** Names the key-encrypting key without revealing it. */
  readonly id: string
  wrap(key: Buffer, binding: KeyBinding): Promise<Buffer>
  /** Throws a plain sentence when it cannot. */
  unwrap(wrapped: Buffer, binding: KeyBinding): Promise<Buffer>
}

/** A key-encrypting key of 32 bytes held by this process: AES-256-GCM, nonce first, tag last. */
export function createLocalKeyWrapper(key: Buffer): KeyWrapper {
  if (key.length !== 32) {
    throw new Error(`The key-encrypting key has ${key.length} bytes; 32 are needed.`)
  }
  const id = `local:${createHash('sha256').update('tollgate kek id').update(key).digest('hex').slice(0, 16)}`
  return {
    id,
    async wrap(dataKey, binding) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      cipher.setAAD(bindingText(binding))
      const ciphertext = Buffer.concat([cipher.update(dataKey), cipher.final()])
      return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()])
    },
    async unwrap(wrapped, binding) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, 12))
        decipher.setAAD(bindingText(binding))
        decipher.setAuthTag(wrapped.subarray(-16))
        return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()])
      } catch (cause) {
        throw new Error(
          `Data key ${binding.id} cannot be unwrapped with the key-encrypting key ${id}, although it was ` +
            'wrapped with it: its bytes in the database were changed. Restore the table data_keys from a backup.',
          { cause },
        )
      }
    },
  }
}

function bindingText({ purpose, id }: KeyBinding): Buffer {
  return Buffer.from(`data key ${id} for ${purpose}`)
}
