import { randomBytes } from 'node:crypto'
import type { KeyRing } from './key-ring.ts'
import { BOUND_TO_ROW, dataKeyIdOf, NONCE_BYTES, openSealed, sealText } from './sealed-format.ts'

/** The stored form of a secret, and the data key that it is under. */
export interface Sealed {
  readonly ciphertext: Buffer
  readonly dataKeyId: number
}

/**
 * Seals everything except card numbers under the vault's data keys. `binding` names the row and
 * column that a text is for; elsewhere it does not open. Both throw VaultUnavailableError when the
 * vault is a process that does not answer in time.
 */
export interface PlaceSeal {
  seal(plain: string | Buffer, binding: string): Promise<Sealed>
  /** Throws when it was sealed for another place, changed, or its data key cannot be had. */
  open(stored: Uint8Array, binding: string): Promise<Buffer>
}

/** In the format of card numbers, with the keys of this process. */
export function createPlaceSeal(keys: KeyRing): PlaceSeal {
  return {
    async seal(plain, binding) {
      const key = keys.sealing()
      const text = sealText(key, randomBytes(NONCE_BYTES), plain, binding, BOUND_TO_ROW)
      return { ciphertext: Buffer.from(text, 'hex'), dataKeyId: key.id }
    },
    async open(stored, binding) {
      const id = dataKeyIdOf(stored)
      const held = await keys.find(id)
      if (held.kind === 'key') return openSealed(held.key, stored, binding)
      throw new Error(`A secret under data key ${id} cannot be read: ${held.by} destroyed the key.`)
    },
  }
}
