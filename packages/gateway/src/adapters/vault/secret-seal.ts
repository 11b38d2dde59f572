import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { invariant } from '../../base/invariant.ts'
import { Secret } from '../../base/secret.ts'
import type { VaultKeys } from './card-vault.ts'

const FORMAT = 1
const NONCE_AT = 5
const CIPHERTEXT_AT = NONCE_AT + 12
const TAG_BYTES = 16

/** Seals secrets of the configuration under the vault's data keys. */
export interface SecretSeal {
  /** `binding` names the row and column that it is for; elsewhere it does not open. */
  seal(secret: Secret, binding: string): { readonly ciphertext: Buffer; readonly dataKeyId: number }
  /** Throws when it was sealed for another place, changed, or its data key is not loaded. */
  open(stored: Uint8Array, binding: string): Secret
}

/** Format as of a card number: 1 byte format, 4 bytes key id, 12 nonce, ciphertext, 16 tag. */
export function createSecretSeal({ pan: keys }: VaultKeys): SecretSeal {
  const newest = keys.at(-1)
  invariant(newest !== undefined, 'the vault has no data key')
  return {
    seal(secret, binding) {
      const header = Buffer.alloc(NONCE_AT)
      header.writeUInt8(FORMAT, 0)
      header.writeUInt32BE(newest.id, 1)
      const nonce = randomBytes(CIPHERTEXT_AT - NONCE_AT)
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce)
      cipher.setAAD(Buffer.from(binding))
      const body = Buffer.concat([cipher.update(secret.reveal(), 'utf8'), cipher.final()])
      const ciphertext = Buffer.concat([header, nonce, body, cipher.getAuthTag()])
      return { ciphertext, dataKeyId: newest.id }
    },
    open(stored, binding) {
      const bytes = Buffer.from(stored)
      invariant(bytes[0] === FORMAT, 'a sealed secret has an unknown format')
      const keyId = bytes.readUInt32BE(1)
      const key = keys.find(({ id }) => id === keyId)
      if (key === undefined) {
        throw new Error(`A secret under data key ${keyId} can't be read: the key is not loaded.`)
      }
      const nonce = bytes.subarray(NONCE_AT, CIPHERTEXT_AT)
      const decipher = createDecipheriv('aes-256-gcm', key.key, nonce)
      decipher.setAAD(Buffer.from(binding))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const body = decipher.update(bytes.subarray(CIPHERTEXT_AT, -TAG_BYTES))
      return new Secret(Buffer.concat([body, decipher.final()]).toString('utf8'))
    },
  }
}

/** What a link's client key is bound to. */
export function linkKeyBinding(linkName: string): string {
  return `client key of processor link ${linkName}`
}

/** What a site's token keys are bound to. */
export function tokenKeyBinding(siteId: bigint): string {
  return `token key of site ${siteId}`
}
