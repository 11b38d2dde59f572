import { createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import { invariant } from '../../base/invariant.ts'
import { Secret } from '../../base/secret.ts'
import type { SecurityCodeSeal } from '../../usecases/card-tokens/card-token-store.ts'
import type { KeyRing } from './key-ring.ts'
import { BOUND_TO_ROW, dataKeyIdOf, NONCE_BYTES, openSealed } from './sealed-format.ts'
import { sealText, type DataKey } from './sealed-format.ts'

/**
 * In the format of card numbers, under HKDF-SHA-256 of the data key with the token's 160 bits as
 * salt. Neither of the two opens a code without the other, and the token is in no table. So a row
 * in a backup, or in a freed part of a database file, stays unreadable even with every key of the
 * gateway. For the same reason a code is never encrypted again under a newer key.
 */
export function createSecurityCodeSeal(keys: KeyRing): SecurityCodeSeal {
  return {
    async seal(code, token, tokenId) {
      const key = derive(keys.sealing(), token, tokenId)
      const nonce = randomBytes(NONCE_BYTES)
      const text = sealText(key, nonce, code.reveal(), bindingOf(tokenId), BOUND_TO_ROW)
      return Buffer.from(text, 'hex')
    },
    async open(stored, token, tokenId) {
      const held = await keys.find(dataKeyIdOf(stored))
      if (held.kind !== 'key') return null
      const key = derive(held.key, token, tokenId)
      return new Secret(openSealed(key, stored, bindingOf(tokenId)).toString('utf8'))
    },
  }
}

function derive({ id, key }: DataKey, token: Secret, tokenId: bigint): DataKey {
  const salt = Buffer.from(token.reveal(), 'hex')
  invariant(salt.length === 20, 'a card token is not 40 hexadecimal digits')
  const derived = hkdfSync('sha256', key, salt, bindingOf(tokenId), 32)
  return { id, key: createSecretKey(new Uint8Array(derived)) }
}

function bindingOf(tokenId: bigint): string {
  return `security code of card token ${tokenId}`
}
