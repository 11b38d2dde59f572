import type { HomeAddress } from '../issuer/verification.ts'
import { ACCOUNT_CARDS } from './account-cards.ts'
import { DECLINING_CARDS } from './declining-cards.ts'
import { DISPUTE_CARDS } from './dispute-cards.ts'
import { PRODUCT_CARDS } from './product-cards.ts'
import { RENEWAL_CARDS } from './renewal-cards.ts'
import type { TestCard } from './test-card.ts'

/** The address of test cards' holders, unless their row states another. */
export const TEST_CARD_ADDRESS: HomeAddress = {
  streetNumber: '123',
  street: '123 Main Street',
  postalCode: '123456789',
  scheme: 'us',
}

/** Every test card. */
export const TEST_CARDS: readonly TestCard[] = [
  ...ACCOUNT_CARDS,
  ...DECLINING_CARDS,
  ...RENEWAL_CARDS,
  ...DISPUTE_CARDS,
  ...PRODUCT_CARDS,
]

/** The security code of test cards: one for all, so that none is kept with a card. */
export function testCardSecurityCode(pan: string): string {
  return pan.length === 15 ? '1234' : '123'
}
