import type { HomeAddress } from '../issuer/verification.ts'
import type { DeckAccount } from './deck-account.ts'
import { DECK_ACCOUNTS } from './deck-accounts.ts'
import { DECK_DECLINES } from './deck-declines.ts'
import { DECK_RENEWALS } from './deck-renewals.ts'

/** The address of deck accounts' holders, unless their row states another. */
export const DECK_ADDRESS: HomeAddress = {
  streetNumber: '123',
  street: '123 Main Street',
  postalCode: '123456789',
  scheme: 'us',
}

/** Every account of the deck. */
export const DECK: readonly DeckAccount[] = [...DECK_ACCOUNTS, ...DECK_DECLINES, ...DECK_RENEWALS]

/** The security code of deck cards: one for all, so that none is kept with a card. */
export function deckSecurityCode(pan: string): string {
  return pan.length === 15 ? '1234' : '123'
}
