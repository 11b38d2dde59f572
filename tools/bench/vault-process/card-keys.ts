import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { openSealed, sealText } from '../../../packages/gateway/src/adapters/vault/sealed-format.ts'

/** The work of a vault on a number, with keys that exist in its process only. */
export interface CardKeys {
  /** Hexadecimal. */
  seal(digits: Buffer, rowId: bigint): string
  /** Hexadecimal. */
  fingerprint(digits: Buffer, merchantId: bigint): string
  open(sealed: Buffer, rowId: bigint): Buffer
}

const NONCES = 512
const NONCE_BYTES = 12

/** The same work as the gateway's vault, in the same format. */
export function createCardKeys(): CardKeys {
  const dataKey = { id: 1, key: createSecretKey(randomBytes(32)) }
  const fingerprintKey = createSecretKey(randomBytes(32))
  let nonces = Buffer.alloc(0)
  const nonce = (): Buffer => {
    if (nonces.length === 0) nonces = randomBytes(NONCES * NONCE_BYTES)
    const next = nonces.subarray(0, NONCE_BYTES)
    nonces = nonces.subarray(NONCE_BYTES)
    return next
  }
  return {
    seal: (digits, rowId) => sealText(dataKey, nonce(), digits, `payment method ${rowId}`),
    fingerprint: (digits, merchantId) =>
      createHmac('sha256', fingerprintKey)
        .update(`${merchantId}:${digits.toString('latin1')}`)
        .digest('hex'),
    open: (sealed, rowId) => openSealed(dataKey, sealed, `payment method ${rowId}`),
  }
}
