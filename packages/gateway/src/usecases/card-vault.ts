import type { Secret } from '../base/secret.ts'
import type { SealedPan } from './payment-store.ts'

/** Keeps card numbers unreadable at rest; they come out again only for the processor. */
export interface CardVault {
  /** Encrypts a number for the row it will be stored in; moved to another row it can't be opened. */
  seal(pan: Secret, paymentMethodId: bigint): SealedPan
  /** Hexadecimal keyed hash: equal for the same number of the same merchant. */
  fingerprint(pan: Secret, merchantId: bigint): string
  open(ciphertext: Uint8Array, paymentMethodId: bigint): Secret
}
