import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { invariant } from '../../base/invariant.ts'
import { Secret } from '../../base/secret.ts'
import type { SecurityCodeSeal } from '../../usecases/card-token-store.ts'
import type { VaultKeys } from './card-vault.ts'

const FORMAT = 1
const NONCE_AT = 5
const CIPHERTEXT_AT = NONCE_AT + 12
const TAG_BYTES = 16

/**
 * Format: 1 byte format (1), 4 bytes id of the data key, 12 nonce, ciphertext, 16 tag; AES-256-GCM.
 * The key is HKDF-SHA-256 of the data key with the token's 160 bits as salt. Neither of the two opens
 * a code without the other, and the token is in no table: whoever finds a row in a backup, or in a
 * part of a file that the database has given up, can't read it even with every key of the gateway.
 */
export function createSecurityCodeSeal({ pan: keys }: VaultKeys): SecurityCodeSeal {
  const newest = keys.at(-1)
  invariant(newest !== undefined, 'the vault has no data key')

  function derive(dataKey: Buffer, token: Secret, tokenId: bigint): Uint8Array {
    const salt = Buffer.from(token.reveal(), 'hex')
    invariant(salt.length === 20, 'a card token is not 40 hexadecimal digits')
    return new Uint8Array(hkdfSync('sha256', dataKey, salt, bindingOf(tokenId), 32))
  }

  return {
    seal(code, token, tokenId) {
      const header = Buffer.alloc(NONCE_AT)
      header.writeUInt8(FORMAT, 0)
      header.writeUInt32BE(newest.id, 1)
      const nonce = randomBytes(CIPHERTEXT_AT - NONCE_AT)
      const cipher = createCipheriv('aes-256-gcm', derive(newest.key, token, tokenId), nonce)
      const body = Buffer.concat([cipher.update(code.reveal(), 'latin1'), cipher.final()])
      return Buffer.concat([header, nonce, body, cipher.getAuthTag()])
    },
    open(stored, token, tokenId) {
      const bytes = Buffer.from(stored)
      invariant(bytes[0] === FORMAT, 'a sealed security code has an unknown format')
      const keyId = bytes.readUInt32BE(1)
      const key = keys.find(({ id }) => id === keyId)
      if (key === undefined) {
        throw new Error(`A security code under data key ${keyId} can't be read: the key is not loaded.`)
      }
      const nonce = bytes.subarray(NONCE_AT, CIPHERTEXT_AT)
      const decipher = createDecipheriv('aes-256-gcm', derive(key.key, token, tokenId), nonce)
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const body = decipher.update(bytes.subarray(CIPHERTEXT_AT, -TAG_BYTES))
      return new Secret(Buffer.concat([body, decipher.final()]).toString('latin1'))
    },
  }
}

function bindingOf(tokenId: bigint): string {
  return `security code of card token ${tokenId}`
}
