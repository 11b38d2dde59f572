import { createHmac, randomFillSync } from 'node:crypto'
import { CardNumber } from '../../domain/payments/card-number.ts'
import type { AuditEntry, AuditLog } from '../../usecases/audit/audit-log.ts'
import {
  CardUnreadableError,
  type CardPlace,
  type CardVault,
} from '../../usecases/vault/card-vault.ts'
import { cardBinding, rowBinding } from './card-binding.ts'
import type { KeyRing } from './key-ring.ts'
import { BOUND_TO_MERCHANT, dataKeyIdOf, formatOf, NONCE_BYTES } from './sealed-format.ts'
import { openSealed, sealText } from './sealed-format.ts'

export interface CardVaultOptions {
  readonly keys: KeyRing
  readonly audit: AuditLog
  /** The actor in the audit log. */
  readonly actor: string
  /** A caller needed a number whose data key is destroyed. */
  readonly onUnreadable: (place: CardPlace, error: CardUnreadableError) => void
}

/**
 * Card numbers in the format of `sealText`, bound to their row and their merchant. Nonces are
 * random: under one key they stay unique enough for 2^32 numbers, long after a key is due to be
 * replaced.
 */
export function createCardVault({ keys, audit, actor, onUnreadable }: CardVaultOptions): CardVault {
  const nonces = createNonceSource()
  return {
    async seal(pan, place, merchantId) {
      const key = keys.sealing()
      const binding = cardBinding(place, merchantId, BOUND_TO_MERCHANT)
      const ciphertext = sealText(key, nonces(), pan.reveal(), binding, BOUND_TO_MERCHANT)
      return {
        sealed: { ciphertext, dataKeyId: key.id },
        fingerprint: cardFingerprint(keys, pan.reveal(), merchantId),
      }
    },

    isReadable: (stored) => keys.look(dataKeyIdOf(stored))?.kind !== 'destroyed',

    async reveal(stored, place, reason, merchantId) {
      const dataKeyId = dataKeyIdOf(stored)
      const entry = (result: AuditEntry['result']): AuditEntry => ({
        actor,
        operation: 'card.revealed',
        object: rowBinding(place),
        merchantId,
        result,
        details: { reason, data_key: dataKeyId },
      })
      const held = await keys.find(dataKeyId)
      if (held.kind === 'destroyed') {
        await audit.append(entry('refused'))
        const error = new CardUnreadableError(dataKeyId, held.at, held.by)
        onUnreadable(place, error)
        throw error
      }
      await audit.append(entry('done'))
      try {
        const binding = cardBinding(place, merchantId, formatOf(stored))
        return new CardNumber(openSealed(held.key, stored, binding).toString('latin1'))
      } catch (error) {
        await audit.append(entry('failed'))
        throw error
      }
    },
  }
}

/** Hexadecimal keyed hash of a number for one merchant. */
export function cardFingerprint(
  { fingerprintKey }: Pick<KeyRing, 'fingerprintKey'>,
  pan: string,
  merchantId: bigint,
): string {
  return createHmac('sha256', fingerprintKey).update(`${merchantId}:${pan}`).digest('hex')
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
