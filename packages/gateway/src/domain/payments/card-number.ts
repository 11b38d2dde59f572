import { inspect } from 'node:util'
import { isLuhnValid } from '../../base/check-digit.ts'
import { cardBrand, type CardBrand } from './card.ts'

const MASK = '[card number]'

/** Of a number shorter than this, eight digits and the last four leave too few unknown. */
const LONG_NUMBER = 16

/**
 * A card number, made once where it is read: from a form, from a token, or out of the vault. It
 * answers the permitted questions about itself, so that it is revealed only to be sent, encrypted
 * or fingerprinted. Like a Secret it never reaches a log line, an error text or a JSON body. It has
 * no own property, so no copy shows it either.
 */
export class CardNumber {
  readonly #digits: string
  readonly #brand: CardBrand | null

  /** `digits`: 12 to 19 of them, without blanks and dashes. */
  constructor(digits: string) {
    this.#digits = digits
    this.#brand = cardBrand(digits)
  }

  /** Null when no brand owns the range. */
  get brand(): CardBrand | null {
    return this.#brand
  }

  /** The issuer's number in the six digits that the wire knows; eight would be today's. */
  get bin(): string {
    return this.#digits.slice(0, 6)
  }

  /**
   * The digits that may be kept beside the last four: the first eight, or six of a short number.
   */
  get leadingDigits(): string {
    return this.#digits.slice(0, this.#digits.length < LONG_NUMBER ? 6 : 8)
  }

  /** The digits that may be shown and stored openly. */
  get last4(): string {
    return this.#digits.slice(-4)
  }

  /** Whether the last digit is the check digit that the others ask for. */
  get isLuhnValid(): boolean {
    return isLuhnValid(this.#digits)
  }

  startsWith(leadingDigits: string): boolean {
    return this.#digits.startsWith(leadingDigits)
  }

  /** All digits, to be sent, encrypted or fingerprinted. Each call of this is a place to review. */
  reveal(): string {
    return this.#digits
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [inspect.custom](): string {
    return MASK
  }
}
