import type { CardBrand } from './card.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** For every brand that is not in the table. */
const DEFAULT_DAYS = 7

interface Lifetime {
  readonly customerDays: number
  readonly merchantDays: number
}

/**
 * Days for which an authorization may be captured, by the payment's initiator. As of 2025: Visa
 * holds ten days, or five for a merchant-initiated payment (since 2024-04-13). Discover and Diners
 * Club hold ten; Mastercard and American Express seven. If a network gives other than seven days,
 * one day is kept in reserve, because a capture has to clear before the hold ends.
 */
const LIFETIMES: Readonly<Partial<Record<CardBrand, Lifetime>>> = {
  Visa: { customerDays: 9, merchantDays: 4 },
  Mastercard: { customerDays: 7, merchantDays: 7 },
  'American Express': { customerDays: 7, merchantDays: 7 },
  Discover: { customerDays: 9, merchantDays: 9 },
  'Diners Club': { customerDays: 9, merchantDays: 9 },
}

/**
 * The instant from which an authorization given at `at` cannot be captured any more. `initiator` is
 * null where the request did not say: the bank then takes the payment for the customer's.
 */
export function authorizationExpiresAt(
  brand: CardBrand | null,
  at: Date,
  initiator: 'customer' | 'merchant' | null,
): Date {
  const lifetime = brand === null ? undefined : LIFETIMES[brand]
  const days =
    lifetime === undefined
      ? DEFAULT_DAYS
      : initiator === 'merchant'
        ? lifetime.merchantDays
        : lifetime.customerDays
  return new Date(at.getTime() + days * DAY_MS)
}
