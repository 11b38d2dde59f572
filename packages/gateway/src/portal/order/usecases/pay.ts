import { holdsCardSecret } from '../../../base/card-masking.ts'
import { Secret } from '../../../base/secret.ts'
import { findCurrency, type Currency } from '../../../domain/currency.ts'
import { fitsAmountField, parseAmount } from '../../../domain/money.ts'
import type { RequestedOperation } from '../../../usecases/audit/requested-operation.ts'
import type { Site } from '../../../usecases/merchants/merchant-directory.ts'
import type {
  CardSelection,
  PaymentCommand,
  PaymentRefusal,
  PostalAddress,
  TakePayment,
} from '../../../usecases/payments/payment-command.ts'
import { GivenUpError } from '../../../usecases/payments/payment-store.ts'
import { plainPayment } from '../../../usecases/payments/plain-payment.ts'
import type { PortalUser } from '../../shell/usecases/portal-user.ts'
import { amountFault } from './adjust.ts'
import {
  INTERRUPTED,
  refusal,
  type OperationRefusal,
  type EarlierPayment,
  type PaymentAnswer,
} from './operation-answer.ts'
import type { OperationKind, Operations } from './operations.ts'

/** A card that a portal user charges: under a token of the card fields, or saved. */
export type PortalPaymentCard =
  | {
      readonly kind: 'token'
      readonly token: string
      readonly last4: string
      readonly expiryMonth: number
      readonly expiryYear: number
    }
  | { readonly kind: 'saved'; readonly customerId: bigint; readonly paymentMethodId: bigint }

export interface PortalPayment {
  readonly key: string
  readonly operation: Extract<OperationKind, 'authorization' | 'sale' | 'charge'>
  readonly siteId: bigint
  /** Null: the site's preferred account that takes the currency. */
  readonly accountId: bigint | null
  readonly currency: string
  /** Each with its amount as decimal text; a card check has one of zero. */
  readonly lines: readonly {
    readonly product: string
    readonly count: number
    readonly amount: string
  }[]
  readonly card: PortalPaymentCard
  readonly customer: {
    readonly firstName: string
    readonly lastName: string
    readonly email: string
    readonly phone: string
  }
  readonly billing: Omit<PostalAddress, 'district'>
  readonly reference: string
  /**
   * Of a charge of a saved card: the order that it repeats, and what the networks know that one by.
   */
  readonly source: { readonly orderId: bigint; readonly networkTransactionId: string } | null
  /** Whether the portal user was shown an earlier payment that looks the same, and goes on. */
  readonly duplicateOk: boolean
}

export interface PayDeps {
  readonly operations: Operations
  readonly takePayment: TakePayment
  readonly readSite: (merchantId: bigint, siteId: bigint) => Promise<Site | null>
  readonly nextId: (kind: 'order' | 'transaction') => bigint | Promise<bigint>
  /** Whether the key has been used: then nothing is asked again. */
  readonly isKnown: (merchantId: bigint, key: string) => Promise<boolean>
  /**
   * The latest payment of the last 24 hours with the same card and amount, approved or under way;
   * null for none.
   */
  readonly findEarlier: (
    site: Site,
    card: PortalPaymentCard,
    amountMinor: bigint,
    currency: string,
  ) => Promise<EarlierPayment | null>
}

export type PayInPortal = (
  portalUser: PortalUser,
  address: string,
  requested: PortalPayment,
) => Promise<PaymentAnswer>

/**
 * Payments that portal users take by hand, or of a saved card once more; never a second one for the
 * same key.
 */
export function createPayInPortal(deps: PayDeps): PayInPortal {
  return async (portalUser, address, requested) => {
    const site = await deps.readSite(portalUser.merchantId, requested.siteId)
    if (site === null) return refusal('missing', 'not_found', 'This site does not exist.')
    const currency = findCurrency(requested.currency)
    if (currency === null)
      return refusal('invalid', 'currency', 'This is not a valid currency.', 'currency')
    const priced = readLines(requested, currency)
    if ('ok' in priced) return priced
    const { totalMinor } = priced
    const pasted = textsOf(requested).find(([, text]) => holdsCardSecret(text))
    if (pasted !== undefined) {
      return refusal(
        'invalid',
        'card_number',
        'This looks like a card number. Enter card numbers only in the card fields.',
        pasted[0],
      )
    }
    if (totalMinor === 0n && requested.operation !== 'authorization')
      return refusal('invalid', 'amount', 'The amount must be above zero.', 'amount')

    const isNew = !(await deps.isKnown(portalUser.merchantId, requested.key))
    if (isNew && !requested.duplicateOk && totalMinor > 0n) {
      const earlier = await deps.findEarlier(site, requested.card, totalMinor, currency.code)
      if (earlier !== null) return { ok: true, outcome: { kind: 'duplicate', earlier } }
    }
    const ids = {
      orderId: await deps.nextId('order'),
      transactionId: await deps.nextId('transaction'),
    }
    const { duplicateOk: _, ...content } = requested
    return deps.operations.once(
      {
        portalUser,
        address,
        siteId: site.id,
        key: requested.key,
        operation: requested.operation,
        orderId: ids.orderId,
        sourceOrderId: requested.source?.orderId ?? null,
        transactionId: ids.transactionId,
        content,
      },
      requestedOperation(requested),
      async ({ id: operationId, requestId }) => {
        try {
          const result = await deps.takePayment(
            commandOf(requested, site, currency, priced, requestId, { ...ids, operationId }),
          )
          return result.kind === 'done' ? result.transaction : refused(result.refusal)
        } catch (error) {
          if (error instanceof GivenUpError) return INTERRUPTED
          throw error
        }
      },
    )
  }
}

type PricedLines = Pick<PaymentCommand, 'lines' | 'totalMinor'>

function readLines({ lines }: PortalPayment, currency: Currency): PricedLines | OperationRefusal {
  const read: PaymentCommand['lines'][number][] = []
  let totalMinor = 0n
  for (const { product, count, amount } of lines) {
    const reading = parseAmount(amount, currency)
    if (reading.kind === 'refused')
      return (
        amountFault(amount, currency) ??
        refusal('invalid', 'amount', 'This is not a valid amount.', 'amount')
      )
    totalMinor += reading.minor
    if (!fitsAmountField(totalMinor)) {
      const sentence = 'The total of the lines is too large.'
      return refusal('invalid', 'amount', sentence, 'amount')
    }
    read.push({ product, merchantProduct: '', count, amountMinor: reading.minor })
  }
  return { lines: read, totalMinor }
}

function textsOf({
  customer,
  billing,
  reference,
  lines,
}: PortalPayment): (readonly [field: string, text: string])[] {
  return [
    ...Object.entries(customer),
    ...Object.entries(billing),
    ['reference', reference],
    ...lines.map(({ product }) => ['lines', product] as const),
  ]
}

function requestedOperation(requested: PortalPayment): RequestedOperation {
  const { lines, currency, reference, accountId, card, siteId } = requested
  const amounts = lines.map(({ amount }) => amount)
  const kind = kindOf(requested)
  return {
    kind,
    siteId,
    orderId: null,
    lineId: null,
    amounts,
    currency,
    reference,
    accountId,
    card,
  }
}

function kindOf({ operation }: PortalPayment): 'authorization' | 'sale' {
  return operation === 'authorization' ? 'authorization' : 'sale'
}

function commandOf(
  requested: PortalPayment,
  site: Site,
  currency: Currency,
  { lines, totalMinor }: PricedLines,
  requestId: bigint,
  ids: NonNullable<PaymentCommand['ids']>,
): PaymentCommand {
  const { firstName, lastName, email, phone } = requested.customer
  const plain = plainPayment({
    kind: kindOf(requested),
    requestId,
    site,
    merchantAccountId: requested.accountId,
    currency,
    lines,
    totalMinor,
    card: cardOf(requested.card, site),
  })
  return {
    ...plain,
    customer: { ...plain.customer, firstName, lastName, email, phone },
    billing: { ...requested.billing, district: '' },
    orderReference: requested.reference,
    // The ids see to it that it happens once; that it looks like another payment was asked before.
    duplicates: 'allow',
    initiation: {
      ...plain.initiation,
      initiator: requested.source === null ? null : 'merchant',
      originalNetworkTransactionId: requested.source?.networkTransactionId ?? '',
    },
    ids,
  }
}

function cardOf(card: PortalPaymentCard, { cvvRequired }: Site): CardSelection {
  if (card.kind === 'saved') {
    return {
      kind: 'saved',
      customerId: card.customerId,
      selector: { by: 'id', id: card.paymentMethodId },
      expiry: null,
      cvv: null,
    }
  }
  return {
    kind: 'token',
    token: new Secret(card.token.toUpperCase()),
    expiry: { month: card.expiryMonth, year: card.expiryYear },
    cvv: null,
    cvvRequired,
    customerId: null,
    reference: '',
    onFileElsewhere: false,
  }
}

const REFUSALS: Readonly<
  Partial<Record<PaymentRefusal, readonly [field: string | null, sentence: string]>>
> = {
  token_invalid: ['card', 'The entered card has expired or was already used. Enter it again.'],
  parameter_missing: [
    'card',
    'The site requires a security code. Enter the card again with its code.',
  ],
  customer_not_found: [
    'card',
    "The customer no longer exists, or belongs to the site's other mode.",
  ],
  card_not_found: ['card', "The saved card no longer exists, or belongs to the site's other mode."],
  card_unreadable: [
    'card',
    'The saved card cannot be read, because its key was destroyed. Ask the customer for the number again.',
  ],
  product_not_found: [
    'lines',
    "The product is not in the site's strict catalogue. Choose a product of the catalogue.",
  ],
  product_inactive: ['lines', 'The product is inactive. Choose another one.'],
  currency_not_configured: [
    'currency',
    'The merchant account does not support this currency. Choose another currency or account.',
  ],
  merchant_account_not_found: ['accountId', 'The site does not have this merchant account.'],
  membership_exists: ['lines', 'The customer already has this membership.'],
  product_misconfigured: ['lines', "The product's price is in another currency."],
}

function refused(name: PaymentRefusal): OperationRefusal {
  const [field, sentence] = REFUSALS[name] ?? [
    null,
    `The payment was refused before a bank was asked (${name.replaceAll('_', ' ')}).`,
  ]
  return refusal('invalid', name, sentence, field)
}
