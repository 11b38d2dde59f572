import { invariant } from '../../base/invariant.ts'
import { Secret } from '../../base/secret.ts'
import type { Currency } from '../../domain/currency.ts'
import type { CardNumber } from '../../domain/payments/card-number.ts'
import type { CheckMode } from '../../domain/payments/verification.ts'
import type { FoundCardToken } from '../card-tokens/card-token-store.ts'
import type { CardTokens } from '../card-tokens/use-card-token.ts'
import {
  findSoldMemberships,
  mayBeginMembership,
  type MembershipSale,
  type MembershipSales,
  type SoldMembership,
} from '../memberships/sold-memberships.ts'
import type { MerchantAccount } from '../merchants/merchant-directory.ts'
import { CardUnreadableError, type CardVault } from '../vault/card-vault.ts'
import type { PaymentCommand, PaymentRefusal } from './payment-command.ts'
import { fieldOf, type PaymentField } from './payment-field.ts'
import type { PaymentStore, SavedCard } from './payment-store.ts'

/** A command with everything found that it names. */
export interface Resolved {
  readonly command: PaymentCommand
  readonly account: MerchantAccount
  readonly currency: Currency
  readonly pan: CardNumber
  readonly fingerprint: string
  readonly expiry: { readonly month: number; readonly year: number } | null
  readonly cvv: Secret | null
  readonly saved: SavedCard | null
  /** The memberships that an approval begins; empty for most payments. */
  readonly sells: readonly SoldMembership[]
  /** The customer the command names, when it is an existing one. */
  readonly customer: {
    readonly id: bigint
    readonly reference: string
    readonly billing: Readonly<Record<string, string>>
  } | null
}

/**
 * The same; the number may still be under a token, which is taken when nothing can be refused any
 * more.
 */
export type Found =
  | (Resolved & { readonly token: null })
  | (Omit<Resolved, 'pan'> & { readonly pan: null; readonly token: FoundCardToken })

export type Resolution =
  | { readonly kind: 'resolved'; readonly payment: Found }
  | {
      readonly kind: 'refused'
      readonly refusal: PaymentRefusal
      readonly field: PaymentField | null
    }

export interface ResolvePaymentDeps {
  readonly store: PaymentStore
  readonly vault: CardVault
  readonly tokens: CardTokens
  /** Asked only for payments that sell memberships. */
  readonly memberships: MembershipSales
}

/** Finds token, customer, card, currency and account; the first that fails is the answer. */
export async function resolvePayment(
  deps: ResolvePaymentDeps,
  command: PaymentCommand,
): Promise<Resolution> {
  const { card, site } = command
  let saved: SavedCard | null = null
  let customer: Resolved['customer'] = null
  let token: FoundCardToken | null = null
  if (card.kind === 'token') {
    token = await deps.tokens.find(card.token, site)
    // A used one may belong to the request that this one repeats.
    if (token === null || (!token.usable && command.duplicates === 'allow')) {
      return { kind: 'refused', refusal: 'token_invalid', field: 'card_token' }
    }
    if (card.cvvRequired && card.cvv === null && token.usable && !token.holdsCode) {
      return { kind: 'refused', refusal: 'parameter_missing', field: 'security_code' }
    }
  }
  let fingerprint =
    card.kind === 'new'
      ? deps.vault.fingerprint(card.pan, site.merchantId)
      : (token?.fingerprint ?? '')

  if (card.customerId !== null) {
    const selector =
      card.kind === 'saved' ? card.selector : ({ by: 'fingerprint', fingerprint } as const)
    const found = await deps.store.findSavedCard(
      site.merchantId,
      site.mode,
      card.customerId,
      selector,
    )
    if (found === null) return { kind: 'refused', refusal: 'customer_not_found', field: null }
    customer = { id: found.customerId, reference: found.customerReference, billing: found.billing }
    // A number that was sent again replaces the one that nobody can read any more.
    if (
      found.paymentMethodId !== null &&
      (card.kind === 'saved' || deps.vault.isReadable(found.ciphertext))
    ) {
      saved = found
    } else if (card.kind === 'saved') {
      return {
        kind: 'refused',
        refusal: 'card_not_found',
        field: fieldOf(card.selector),
      }
    }
  }

  if (site.catalogue === 'strict') {
    for (const [at, line] of command.lines.entries()) {
      if (at === command.definition?.line) continue
      const product = site.products.get(line.product || site.defaultProduct)
      if (product === undefined)
        return { kind: 'refused', refusal: 'product_not_found', field: null }
      if (!product.active) return { kind: 'refused', refusal: 'product_inactive', field: null }
    }
  }

  const { currency } = command
  if (currency === null) return { kind: 'refused', refusal: 'currency_unknown', field: 'currency' }
  const takers = site.merchantAccounts.filter((account) =>
    account.currencies.includes(currency.code),
  )
  const asked = command.merchantAccountId
  if (takers.length === 0 && site.merchantAccounts.length > 0) {
    return { kind: 'refused', refusal: 'currency_not_configured', field: null }
  }
  if (asked !== null && !site.merchantAccounts.some((each) => isKnownAs(each, asked))) {
    return { kind: 'refused', refusal: 'merchant_account_not_found', field: null }
  }
  const account = asked === null ? takers[0] : takers.find((taker) => isKnownAs(taker, asked))
  if (account === undefined) {
    const refusal = asked === null ? 'merchant_account_not_found' : 'currency_not_configured'
    return { kind: 'refused', refusal, field: null }
  }
  if (command.kind === 'credit' && !account.unreferencedCredits) {
    return { kind: 'refused', refusal: 'unreferenced_credit_not_allowed', field: null }
  }

  let sale: MembershipSale = { kind: 'sale', command, sells: [] }
  if (mayBeginMembership(command)) {
    sale = await findSoldMemberships(deps.memberships, command, currency)
    if (sale.kind === 'refused') return sale
  }

  let pan: CardNumber | null = null
  if (card.kind === 'new') pan = card.pan
  else if (card.kind === 'saved') {
    invariant(saved !== null, 'a saved card was resolved to none')
    const revealed = await revealSaved(deps.vault, saved, site.merchantId)
    if (revealed === null) {
      return {
        kind: 'refused',
        refusal: 'card_unreadable',
        field: fieldOf(card.selector),
      }
    }
    pan = revealed
    fingerprint = saved.fingerprint
  }
  const onFile =
    saved === null || saved.expiryMonth === null || saved.expiryYear === null
      ? null
      : { month: saved.expiryMonth, year: saved.expiryYear }
  const found = {
    command: sale.command,
    sells: sale.sells,
    account,
    currency,
    fingerprint,
    expiry: card.expiry ?? onFile,
    cvv: card.cvv,
    saved,
    customer,
  }
  if (pan !== null) return { kind: 'resolved', payment: { ...found, pan, token: null } }
  invariant(token !== null, 'a payment was resolved to neither a number nor a token')
  return { kind: 'resolved', payment: { ...found, pan: null, token } }
}

/** Takes the number from its token, where it is under one; null when the token is gone. */
export async function uncover(deps: ResolvePaymentDeps, found: Found): Promise<Resolved | null> {
  if (found.token === null) return found
  const { command, token } = found
  invariant(command.card.kind === 'token', 'a token was found for another kind of card')
  const usedFor = command.duplicates === 'allow' ? '' : command.orderReference
  const taken = await deps.tokens.take(token, command.card.token, command.site, usedFor)
  return taken === null ? null : { ...found, pan: taken.pan, cvv: found.cvv ?? taken.cvv }
}

/** Null when its data key was destroyed. */
async function revealSaved(
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

/** A shop that named its test account need not change its requests when it goes live. */
export function isKnownAs({ id, standsFor }: MerchantAccount, asked: bigint): boolean {
  return id === asked || standsFor === asked
}

/** Whether the number came out of a store, not from the customer's hand. */
export function isOnFile({ command }: Resolved): boolean {
  return command.card.kind === 'saved' || command.card.onFileElsewhere
}

export function effectiveAvsMode({ command }: Resolved): CheckMode {
  return command.avsMode ?? command.site.avsMode
}

/** A saved card, or one that the merchant charges by itself, can have no code: nothing to check. */
export function effectiveCvvMode({ command, cvv, customer }: Resolved): CheckMode {
  const withoutCode =
    cvv === null && (customer !== null || command.initiation.initiator === 'merchant')
  return withoutCode ? 'F' : (command.cvvMode ?? command.site.cvvMode)
}
