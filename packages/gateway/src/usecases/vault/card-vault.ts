import type { CardNumber } from '../../domain/payments/card-number.ts'
import type { SealedPan } from '../payments/payment-store.ts'

/** The row that a number is stored in; a ciphertext opens there and nowhere else. */
export interface CardPlace {
  readonly kind: 'payment method' | 'card token'
  readonly id: bigint
}

/** Every reason for which a stored number is read. There is no other way out of the vault. */
export const REVEAL_REASONS = {
  authorization: 'the number goes to the processor, to charge a saved card',
  refund: 'the number goes to the processor with a refund',
  'token use': 'the number of a card token becomes the card of a payment',
  'leading digits':
    'the first digits of a saved card or a token identify the issuer that may inspect the browser',
  'vault export': 'all numbers go into an encrypted file that an operator exports',
} as const

export type RevealReason = keyof typeof REVEAL_REASONS

/** A number that stays unreadable: its data key was destroyed. */
export class CardUnreadableError extends Error {
  constructor(dataKeyId: number, at: Date, by: string) {
    super(
      `The card cannot be read: its data key ${dataKeyId} was destroyed on ` +
        `${at.toISOString()} by ${by}.`,
    )
    this.name = 'CardUnreadableError'
  }
}

/** The vault cannot be asked now, or gave out as many numbers as it may; later it may help. */
export class VaultUnavailableError extends Error {
  override readonly name = 'VaultUnavailableError'
}

/** A number as it is stored. */
export interface SealedCard {
  readonly sealed: SealedPan
  /** Hexadecimal keyed hash: equal for the same number of the same merchant. */
  readonly fingerprint: string
}

/**
 * Keeps card numbers unreadable at rest; they come out again only for the processor. Each request
 * throws VaultUnavailableError when the vault does not answer in time.
 */
export interface CardVault {
  /** Encrypts a number for the row it will be stored in, and says which number it is. */
  seal(pan: CardNumber, place: CardPlace, merchantId: bigint): Promise<SealedCard>
  /** False: its data key was destroyed. */
  isReadable(ciphertext: Uint8Array): boolean
  /**
   * The number, once the audit log has durably who wanted it and why. Throws CardUnreadableError
   * when its data key was destroyed.
   */
  reveal(
    ciphertext: Uint8Array,
    place: CardPlace,
    reason: RevealReason,
    merchantId: bigint,
  ): Promise<CardNumber>
}
