import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomFillSync } from 'node:crypto'
import { invariant } from '../../base/invariant.ts'
import { Secret } from '../../base/secret.ts'
import type { CardPlace, CardVault } from '../../usecases/card-vault.ts'

/** A data key ready for use; `id` travels with every ciphertext. */
export interface DataKey {
  readonly id: number
  readonly key: Buffer
}

export interface VaultKeys {
  /** Newest last; the newest encrypts, all of them decrypt. */
  readonly pan: readonly DataKey[]
  readonly fingerprint: DataKey
}

const FORMAT = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = 1 + 4

/**
 * Format of a stored number: 1 byte format (1), 4 bytes key id, 12 bytes nonce, ciphertext, 16 bytes
 * tag; AES-256-GCM with the row's kind and id as additional data. Nonces are random: under one key
 * they stay unique enough for 2^32 numbers, long after a key is due to be replaced.
 */
export function createCardVault(keys: VaultKeys): CardVault {
  // Key objects: a key given as bytes is taken over anew for every card.
  const byId = new Map(keys.pan.map((key) => [key.id, createSecretKey(key.key)]))
  const fingerprintKey = createSecretKey(keys.fingerprint.key)
  const newest = keys.pan.at(-1)
  const newestKey = newest && byId.get(newest.id)
  invariant(newest !== undefined && newestKey !== undefined, 'the vault has no data key')
  const nonces = createNonceSource()

  function fingerprint(pan: Secret, merchantId: bigint): string {
    return createHmac('sha256', fingerprintKey)
      .update(`${merchantId}:${pan.reveal()}`)
      .digest('hex')
  }

  return {
    fingerprint,

    seal(pan, place) {
      const nonce = nonces()
      const cipher = createCipheriv('aes-256-gcm', newestKey, nonce)
      cipher.setAAD(rowBinding(place))
      const ciphertext = cipher.update(pan.reveal(), 'latin1', 'hex') + cipher.final('hex')
      return {
        ciphertext:
          header(newest.id) + nonce.toString('hex') + ciphertext + cipher.getAuthTag().toString('hex'),
        dataKeyId: newest.id,
      }
    },

    async reveal(stored, place) {
      const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
      invariant(bytes[0] === FORMAT, 'a stored card number has an unknown format')
      const keyId = bytes.readUInt32BE(1)
      const key = byId.get(keyId)
      if (key === undefined) {
        throw new Error(`Card numbers under data key ${keyId} can't be read: the key is not loaded.`)
      }
      const ciphertextAt = HEADER_BYTES + NONCE_BYTES
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(HEADER_BYTES, ciphertextAt))
      decipher.setAAD(rowBinding(place))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const pan =
        decipher.update(bytes.subarray(ciphertextAt, -TAG_BYTES), undefined, 'latin1') +
        decipher.final('latin1')
      return new Secret(pan)
    },
  }
}

function header(keyId: number): string {
  return '01' + keyId.toString(16).padStart(8, '0')
}

function rowBinding({ kind, id }: CardPlace): Buffer {
  return Buffer.from(`${kind} ${id}`)
}

/** Random bytes are drawn in bulk: one call a nonce costs more than the encryption. */
function createNonceSource(): () => Buffer {
  const pool = Buffer.alloc(NONCE_BYTES * 512)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += NONCE_BYTES
    return Buffer.from(pool.subarray(used - NONCE_BYTES, used))
  }
}
