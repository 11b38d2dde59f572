import { randomBytes } from 'node:crypto'
import { Secret } from '../../base/secret.ts'
import type { KeyRing } from './key-ring.ts'
import { dataKeyIdOf, NONCE_BYTES, openSealed, sealText } from './sealed-format.ts'

/** Seals secrets of the configuration under the vault's data keys. */
export interface SecretSeal {
  /** `binding` names the row and column that it is for; elsewhere it does not open. */
  seal(secret: Secret, binding: string): { readonly ciphertext: Buffer; readonly dataKeyId: number }
  /** Throws when it was sealed for another place, changed, or its data key is not loaded. */
  open(stored: Uint8Array, binding: string): Secret
  /** Loads the data key that `open` will need. */
  prepare(stored: Uint8Array): Promise<void>
}

/** In the format of card numbers. */
export function createSecretSeal(keys: KeyRing): SecretSeal {
  return {
    seal(secret, binding) {
      const key = keys.sealing()
      const text = sealText(key, randomBytes(NONCE_BYTES), secret.reveal(), binding)
      return { ciphertext: Buffer.from(text, 'hex'), dataKeyId: key.id }
    },
    open(stored, binding) {
      const id = dataKeyIdOf(stored)
      const held = keys.look(id)
      if (held?.kind !== 'key') {
        const why = held === null ? 'the key is not loaded' : `the key was destroyed by ${held.by}`
        throw new Error(`A secret under data key ${id} cannot be read: ${why}.`)
      }
      return new Secret(openSealed(held.key, stored, binding).toString('utf8'))
    },
    async prepare(stored) {
      await keys.find(dataKeyIdOf(stored))
    },
  }
}

/** The binding of a link's client key. */
export function linkKeyBinding(linkName: string): string {
  return `client key of processor link ${linkName}`
}

/** The binding of a site's token keys. */
export function tokenKeyBinding(siteId: bigint): string {
  return `token key of site ${siteId}`
}

/** The binding of a key that signs 3-D Secure tokens. */
export function threeDsKeyBinding(kid: string): string {
  return `3-D Secure signing key ${kid}`
}

/** The binding of a CAVV. */
export function cavvBinding(serverTransId: string): string {
  return `CAVV of authentication ${serverTransId}`
}

/** The binding of the secret of an operator's one-time codes. */
export function operatorSecondFactorBinding(operatorId: bigint): string {
  return `second factor of operator ${operatorId}`
}

/** The binding of the secret of a portal user's one-time codes. */
export function secondFactorBinding(portalUserId: bigint): string {
  return `second factor of person ${portalUserId}`
}

/** The binding of a secret that signs webhooks. */
export function webhookSecretBinding(endpointId: bigint): string {
  return `webhook secret of endpoint ${endpointId}`
}
