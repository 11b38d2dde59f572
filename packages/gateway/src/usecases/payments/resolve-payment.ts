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
import type { CardVault } from '../vault/card-vault.ts'
import {
  expiryOnFile,
  findCard,
  findNumber,
  revealSaved,
  type ExistingCustomer,
  type FreshCard,
} from './find-card.ts'
import type { IdKind } from './id-kind.ts'
import type { KeyUse } from './idempotency-key.ts'
import { withCustomerOfLogin } from './login-of-customer.ts'
import { refusePayment, type PaymentCommand, type RefusedPayment } from './payment-command.ts'
import type { PaymentStore, SavedCard } from './payment-store.ts'

/** A card token that this payment used up. */
export interface UsedToken {
  readonly id: bigint
  readonly token: Secret
  /** The end of its security code's life by the machine's clock; null: the code is not its own. */
  readonly cvvUntil: Date | null
}

/** A command with everything found that it names. */
export interface Resolved {
  readonly command: PaymentCommand
  readonly account: MerchantAccount
  readonly currency: Currency
  readonly pan: CardNumber
  readonly fingerprint: string
  /** Encrypted before its card was looked for; null for a number that the gateway had. */
  readonly fresh: FreshCard | null
  readonly expiry: { readonly month: number; readonly year: number } | null
  readonly cvv: Secret | null
  /** The token that the number was under; null for any other card. */
  readonly usedToken: UsedToken | null
  readonly saved: SavedCard | null
  /** The memberships that an approval begins; empty for most payments. */
  readonly sells: readonly SoldMembership[]
  /** The customer the command names, when it is an existing one. */
  readonly customer: ExistingCustomer | null
}

/**
 * The same; the number may still be under a token, which is taken when nothing can be refused any
 * more.
 */
export type Found =
  | (Resolved & { readonly token: null })
  | (Omit<Resolved, 'pan'> & { readonly pan: null; readonly token: FoundCardToken })

export type Resolution = { readonly kind: 'resolved'; readonly payment: Found } | RefusedPayment

export interface ResolvePaymentDeps {
  readonly store: PaymentStore
  readonly vault: CardVault
  readonly tokens: CardTokens
  readonly nextId: (kind: IdKind) => bigint | Promise<bigint>
  /** Asked only for payments that sell memberships. */
  readonly memberships: MembershipSales
}

/** Finds token, customer, card, currency and account; the first that fails is the answer. */
export async function resolvePayment(
  deps: ResolvePaymentDeps,
  sent: PaymentCommand,
): Promise<Resolution> {
  const command = await withCustomerOfLogin(deps.store, sent)
  const card = await findCard(deps, command)
  if (card.kind === 'refused') return card
  const unsold = refuseByCatalogue(command)
  if (unsold !== null) return unsold
  const { currency } = command
  if (currency === null) return refusePayment('currency_unknown', 'currency')
  const picked = pickAccount(command, currency)
  if (picked.kind === 'refused') return picked
  const sale: MembershipSale = mayBeginMembership(command)
    ? await findSoldMemberships(deps.memberships, command, currency)
    : { kind: 'sale', command, sells: [] }
  if (sale.kind === 'refused') return sale
  const number = await findNumber(deps.vault, command, card)
  if (number.kind === 'refused') return number
  const { customer, fingerprint, fresh, saved } = card
  const found = {
    command: sale.command,
    sells: sale.sells,
    account: picked.account,
    currency,
    fingerprint,
    fresh,
    expiry: command.card.expiry ?? expiryOnFile(saved),
    cvv: command.card.cvv,
    usedToken: null,
    saved,
    customer,
  }
  return number.kind === 'number'
    ? { kind: 'resolved', payment: { ...found, pan: number.pan, token: null } }
    : { kind: 'resolved', payment: { ...found, pan: null, token: number.token } }
}

/** A strict catalogue sells what it has, and nothing that was switched off. */
function refuseByCatalogue({ definition, lines, site }: PaymentCommand): RefusedPayment | null {
  if (site.catalogue !== 'strict') return null
  for (const [at, line] of lines.entries()) {
    if (at === definition?.line) continue
    const product = site.products.get(line.product || site.defaultProduct)
    if (product === undefined) return refusePayment('product_not_found', null)
    if (!product.active) return refusePayment('product_inactive', null)
  }
  return null
}

/** The account that was asked for, else the preferred one that takes the currency. */
function pickAccount(
  { kind, merchantAccountId: asked, site }: PaymentCommand,
  currency: Currency,
): RefusedPayment | { readonly kind: 'account'; readonly account: MerchantAccount } {
  const takers = site.merchantAccounts.filter(({ currencies }) =>
    currencies.includes(currency.code),
  )
  if (takers.length === 0 && site.merchantAccounts.length > 0) {
    return refusePayment('currency_not_configured', 'currency')
  }
  if (asked !== null && !site.merchantAccounts.some((each) => isKnownAs(each, asked))) {
    return refusePayment('merchant_account_not_found', null)
  }
  const account = asked === null ? takers[0] : takers.find((taker) => isKnownAs(taker, asked))
  if (account === undefined) {
    return asked === null
      ? refusePayment('merchant_account_not_found', null)
      : refusePayment('currency_not_configured', 'currency')
  }
  return kind === 'refund' && !account.unreferencedCredits
    ? refusePayment('unreferenced_credit_not_allowed', null)
    : { kind: 'account', account }
}

/**
 * Takes the number from its token, where it is under one; null when the token is gone. `use`: the
 * idempotency key of the payment, by which a repeat finds out what the token was used for.
 */
export async function revealCard(
  deps: ResolvePaymentDeps,
  found: Found,
  use: KeyUse | null,
): Promise<Resolved | null> {
  if (found.token === null) return found
  const { command, token } = found
  invariant(command.card.kind === 'token', 'a token was found for another kind of card')
  const taken = await deps.tokens.take(
    token,
    command.card.token,
    command.site,
    tokenUse(command, use),
  )
  if (taken === null) return null
  const cvvUntil = found.cvv === null ? taken.cvvUntil : null
  return {
    ...found,
    pan: taken.pan,
    cvv: found.cvv ?? taken.cvv,
    usedToken: { id: token.id, token: command.card.token, cvvUntil },
  }
}

/** The order reference or the key that a token is used for, so that repeats are answered; or ''. */
export function tokenUse(
  { duplicates, orderReference }: PaymentCommand,
  use: KeyUse | null,
): string {
  return duplicates === 'allow' ? (use?.key.key ?? '') : orderReference
}

/** The number of a customer's card; null when it was removed, or its data key destroyed. */
export async function numberOnFile(
  { store, vault }: Pick<ResolvePaymentDeps, 'store' | 'vault'>,
  { merchantId, mode }: PaymentCommand['site'],
  { customerId, paymentMethodId: id }: Pick<SavedCard, 'paymentMethodId' | 'customerId'>,
): Promise<CardNumber | null> {
  const saved = await store.findSavedCard(merchantId, mode, customerId, { by: 'id', id })
  if (saved === null || saved.paymentMethodId === null) return null
  return revealSaved(vault, saved, merchantId)
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
