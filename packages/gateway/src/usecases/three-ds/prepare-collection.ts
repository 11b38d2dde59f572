import type { Secret } from '../../base/secret.ts'
import type { Currency } from '../../domain/currency.ts'
import type { CardNumber } from '../../domain/payments/card-number.ts'
import type { CardTokenDigits, CardTokens } from '../card-tokens/use-card-token.ts'
import { countryOf, type MerchantAccount, type Site } from '../merchants/merchant-directory.ts'
import type { SavedCardSelector } from '../payments/payment-command.ts'
import { fieldOf, type PaymentField } from '../payments/payment-field.ts'
import type { PaymentStore } from '../payments/payment-store.ts'
import type { CardVault } from '../vault/card-vault.ts'
import type { CollectionStore } from './collection-store.ts'
import { revealedLeadingDigits } from './leading-digits.ts'
import type { ThreeDsServer } from './three-ds-server.ts'
import type { ThreeDsTokens } from './three-ds-tokens.ts'

/** The request of 3dsrequest.cfm: a look at the customer's browser before a payment. */
export interface PrepareCommand {
  readonly requestId: bigint
  readonly userId: bigint
  readonly site: Site
  /** Null: an account that the site takes the currency with. */
  readonly merchantAccountId: bigint | null
  /** Null: an unknown one. */
  readonly currency: Currency | null
  /**
   * BILL_ADDR_COUNTRY, upper case: of several accounts, one of this country is taken; '' for any.
   */
  readonly country: string
  readonly card: PrepareCard
}

export type PrepareCard =
  | { readonly kind: 'leading digits'; readonly digits: string }
  | { readonly kind: 'number'; readonly pan: CardNumber }
  | { readonly kind: 'saved'; readonly customerId: bigint; readonly selector: SavedCardSelector }
  | { readonly kind: 'token'; readonly token: Secret }

export type PrepareRefusal =
  | 'customer_not_found'
  | 'card_not_found'
  | 'card_unreadable'
  | 'token_invalid'
  | 'currency_unknown'
  | 'currency_not_configured'
  | 'merchant_account_unknown'
  | 'three_ds_not_set_up'

export type PrepareResult =
  | {
      readonly kind: 'prepared'
      readonly token: string
      /** DDC_REFERENCEID. */
      readonly reference: string
      readonly leadingDigits: string
      readonly merchantAccountId: bigint
    }
  | { readonly kind: 'refused'; readonly refusal: PrepareRefusal; readonly field: PaymentField }

export type PrepareCollection = (command: PrepareCommand) => Promise<PrepareResult>

export interface PrepareDeps {
  readonly collections: Pick<CollectionStore, 'insert'>
  readonly savedCards: Pick<PaymentStore, 'findSavedCard'>
  readonly vault: CardVault
  readonly cardTokens: Pick<CardTokens, 'find'> & CardTokenDigits
  readonly tokens: ThreeDsTokens
  readonly server: Pick<ThreeDsServer, 'isSetUp' | 'methodUrls'>
  /** 128 random bits as text for addresses and forms. */
  readonly newHandle: () => string
  readonly newTransId: () => string
}

/** How long DDC_REFERENCEID is good for. */
const COLLECTION_MS = 30 * 60_000

/**
 * Makes a collection of browser data. The answer does not depend on whether the card takes part in
 * 3-D Secure: card numbers cannot be distinguished by asking.
 */
export function createPrepareCollection(deps: PrepareDeps): PrepareCollection {
  return async (command) => {
    const { site } = command
    const account = findAccount(command)
    if ('refusal' in account) return { kind: 'refused', ...account }
    if (account.threeDs === null || !deps.server.isSetUp(account.mode)) {
      return { kind: 'refused', refusal: 'three_ds_not_set_up', field: 'merchant_account' }
    }
    const found = await findDigits(deps, command)
    if (typeof found !== 'string') return { kind: 'refused', ...found }

    const reference = `${command.requestId}-${account.id}`
    const tokenId = deps.newHandle()
    const methodUrls = deps.server.methodUrls(account.mode, found)
    const now = site.clock.now()
    await deps.collections.insert({
      reference,
      merchantId: site.merchantId,
      siteId: site.id,
      mode: site.mode,
      merchantAccountId: account.id,
      apiUserId: command.userId,
      leadingDigits: found,
      serverTransId: deps.newTransId(),
      tokenId,
      // Several: only the whole number identifies the issuer, and no other may look.
      methodUrl: methodUrls.length === 1 ? (methodUrls[0] ?? null) : null,
      createdAt: now,
      expiresAt: new Date(now.getTime() + COLLECTION_MS),
    })
    const token = await deps.tokens.sign('ddc', {
      tokenId,
      merchantAccountId: account.id,
      reference,
      payload: {},
    })
    return {
      kind: 'prepared',
      token,
      reference,
      leadingDigits: found,
      merchantAccountId: account.id,
    }
  }
}

type PrepareRefused = { readonly refusal: PrepareRefusal; readonly field: PaymentField }

/**
 * The account that the payment has to name: without a country in it, the one that it would use
 * anyway.
 */
function findAccount({
  country,
  currency,
  merchantAccountId,
  site,
}: PrepareCommand): MerchantAccount | PrepareRefused {
  const { merchantAccounts } = site
  if (merchantAccountId !== null) {
    const named = merchantAccounts.find(
      ({ id, standsFor }) => id === merchantAccountId || standsFor === merchantAccountId,
    )
    return named ?? { refusal: 'merchant_account_unknown', field: 'merchant_account' }
  }
  if (currency === null) return { refusal: 'currency_unknown', field: 'currency' }
  const takers = merchantAccounts.filter(({ currencies }) => currencies.includes(currency.code))
  const taker = takers.find((account) => countryOf(account) === country) ?? takers[0]
  if (taker !== undefined) return taker
  return merchantAccounts.length === 0
    ? { refusal: 'merchant_account_unknown', field: 'merchant_account' }
    : { refusal: 'currency_not_configured', field: 'currency' }
}

async function findDigits(
  deps: PrepareDeps,
  { card, site }: PrepareCommand,
): Promise<string | PrepareRefused> {
  switch (card.kind) {
    case 'leading digits':
      return card.digits
    case 'number':
      return card.pan.leadingDigits
    case 'token': {
      const found = await deps.cardTokens.find(card.token, site)
      const digits = found === null ? null : await deps.cardTokens.leadingDigits(found, site)
      return digits ?? { refusal: 'token_invalid', field: 'card_token' }
    }
    case 'saved': {
      const { customerId, selector } = card
      const saved = await deps.savedCards.findSavedCard(
        site.merchantId,
        site.mode,
        customerId,
        selector,
      )
      if (saved === null) return { refusal: 'customer_not_found', field: 'customer' }
      if (saved.paymentMethodId === null)
        return { refusal: 'card_not_found', field: fieldOf(selector) }
      const place = { kind: 'payment method', id: saved.paymentMethodId } as const
      const digits = await revealedLeadingDigits(
        deps.vault,
        saved.ciphertext,
        place,
        site.merchantId,
      )
      return digits ?? { refusal: 'card_unreadable', field: fieldOf(selector) }
    }
  }
}
