import { invariant } from '../../base/invariant.ts'
import type { CardNumber } from '../../domain/payments/card-number.ts'
import type { FoundCardToken } from '../card-tokens/card-token-store.ts'
import type { CardTokens } from '../card-tokens/use-card-token.ts'
import { CardUnreadableError, type CardVault, type SealedCard } from '../vault/card-vault.ts'
import type { IdKind } from './id-kind.ts'
import {
  refusePayment,
  type CardSelection,
  type Expiry,
  type PaymentCommand,
  type RefusedPayment,
} from './payment-command.ts'
import { fieldOf } from './payment-field.ts'
import type { PaymentStore, SavedCard } from './payment-store.ts'

/** The customer that a command names. */
export interface ExistingCustomer {
  readonly id: bigint
  readonly reference: string
  readonly billing: Readonly<Record<string, string>>
}

/** The card that a command names; its number may still be under a token or in the vault. */
interface FoundCard {
  readonly kind: 'card'
  readonly token: FoundCardToken | null
  /** A number that was sent, encrypted for the row that it may get; null for any other card. */
  readonly fresh: FreshCard | null
  readonly fingerprint: string
  readonly saved: SavedCard | null
  readonly customer: ExistingCustomer | null
}

/** A number that was sent, and the id that it is encrypted for. */
export interface FreshCard extends SealedCard {
  readonly id: bigint
}

interface FindCardDeps {
  readonly nextId: (kind: IdKind) => bigint | Promise<bigint>
  readonly store: Pick<PaymentStore, 'findSavedCard'>
  readonly vault: CardVault
  readonly tokens: CardTokens
}

/** Finds the token, the customer and the saved card; the first that fails is the answer. */
export async function findCard(
  deps: FindCardDeps,
  command: PaymentCommand,
): Promise<FoundCard | RefusedPayment> {
  const { card, site } = command
  const token = card.kind === 'token' ? await findToken(deps, command, card) : null
  if (token?.kind === 'refused') return token
  const found = token?.found ?? null
  const fresh = card.kind === 'new' ? await sealFresh(deps, card.pan, site.merchantId) : null
  const fingerprint = fresh?.fingerprint ?? found?.fingerprint ?? ''
  const owned = await findOwned(deps, command, fingerprint)
  if (owned.kind === 'refused') return owned
  const { customer, saved } = owned
  return {
    kind: 'card',
    token: found,
    fresh,
    fingerprint: card.kind === 'saved' && saved !== null ? saved.fingerprint : fingerprint,
    saved,
    customer,
  }
}

/** One request does both: for a card that is known already, the ciphertext is dropped. */
async function sealFresh(
  { nextId, vault }: FindCardDeps,
  pan: CardNumber,
  merchantId: bigint,
): Promise<FreshCard> {
  const id = await nextId('paymentMethod')
  return { id, ...(await vault.seal(pan, { kind: 'payment method', id }, merchantId)) }
}

async function findToken(
  { tokens }: FindCardDeps,
  { duplicates, site }: PaymentCommand,
  card: Extract<CardSelection, { kind: 'token' }>,
): Promise<RefusedPayment | { readonly kind: 'token'; readonly found: FoundCardToken }> {
  const found = await tokens.find(card.token, site)
  // A used one may belong to the request that this one repeats.
  if (found === null || (!found.usable && duplicates === 'allow')) {
    return refusePayment('token_invalid', 'card_token')
  }
  if (card.cvvRequired && card.cvv === null && found.usable && !found.holdsCode) {
    return refusePayment('parameter_missing', 'security_code')
  }
  return { kind: 'token', found }
}

/** The customer, and their card: the one that is named, or the one with this fingerprint. */
async function findOwned(
  { store, vault }: FindCardDeps,
  { card, site }: PaymentCommand,
  fingerprint: string,
): Promise<RefusedPayment | (Pick<FoundCard, 'customer' | 'saved'> & { readonly kind: 'owned' })> {
  if (card.customerId === null) return { kind: 'owned', customer: null, saved: null }
  const selector =
    card.kind === 'saved' ? card.selector : ({ by: 'fingerprint', fingerprint } as const)
  const found = await store.findSavedCard(site.merchantId, site.mode, card.customerId, selector)
  if (found === null) return refusePayment('customer_not_found', null)
  const { customerId: id, customerReference: reference, billing } = found
  const customer = { id, reference, billing }
  // A number that was sent again replaces the unreadable one.
  if (
    found.paymentMethodId !== null &&
    (card.kind === 'saved' || vault.isReadable(found.ciphertext))
  ) {
    return { kind: 'owned', customer, saved: found }
  }
  if (card.kind === 'saved') return refusePayment('card_not_found', fieldOf(card.selector))
  return { kind: 'owned', customer, saved: null }
}

/** The number as it was sent or out of the vault, or the token that it is still under. */
export async function findNumber(
  vault: CardVault,
  { card, site }: PaymentCommand,
  { saved, token }: FoundCard,
): Promise<
  | RefusedPayment
  | { readonly kind: 'number'; readonly pan: CardNumber }
  | { readonly kind: 'token'; readonly token: FoundCardToken }
> {
  switch (card.kind) {
    case 'new':
      return { kind: 'number', pan: card.pan }
    case 'token':
      invariant(token !== null, 'a payment was resolved to neither a number nor a token')
      return { kind: 'token', token }
    case 'saved': {
      invariant(saved !== null, 'a saved card was resolved to none')
      const pan = await revealSaved(vault, saved, site.merchantId)
      return pan === null
        ? refusePayment('card_unreadable', fieldOf(card.selector))
        : { kind: 'number', pan }
    }
  }
}

/** The number of a saved card. Null when its data key was destroyed. */
export async function revealSaved(
  vault: CardVault,
  saved: SavedCard,
  merchantId: bigint,
): Promise<CardNumber | null> {
  const place = { kind: 'payment method', id: saved.paymentMethodId } as const
  try {
    return await vault.reveal(saved.ciphertext, place, 'authorization', merchantId)
  } catch (error) {
    if (error instanceof CardUnreadableError) return null
    throw error
  }
}

/** The stored data of a saved card; null for none, and for a card without one. */
export function expiryOnFile(saved: SavedCard | null): Expiry | null {
  if (saved === null || saved.expiryMonth === null || saved.expiryYear === null) return null
  return { month: saved.expiryMonth, year: saved.expiryYear }
}
