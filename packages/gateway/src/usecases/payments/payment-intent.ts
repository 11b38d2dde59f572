import type { Clock } from '../../base/clock.ts'
import { invariant } from '../../base/invariant.ts'
import { authorizationExpiresAt } from '../../domain/payments/authorization-lifetime.ts'
import type { IdempotencyKey } from '../../domain/payments/idempotency-key.ts'
import type { NewClaim } from '../../domain/payments/reference-claim.ts'
import type { AuthorizationRequest, Processor } from '../banks/processor.ts'
import { claimMemberships } from '../memberships/membership-claim.ts'
import type { AuthenticationValues } from '../three-ds/three-ds-request.ts'
import type { CardVault } from '../vault/card-vault.ts'
import type { IdKind } from './id-kind.ts'
import type { PaymentCommand, PostalAddress } from './payment-command.ts'
import type {
  KnownCustomer,
  KnownPaymentMethod,
  MessageIdentity,
  NewCustomer,
  NewLine,
  NewPaymentMethod,
  PaymentIntent,
  SavedCard,
} from './payment-store.ts'
import { effectiveAvsMode, effectiveCvvMode, isOnFile, type Resolved } from './resolve-payment.ts'
import type { TransactionOrigin } from './transaction-view.ts'

export type { IdKind } from './id-kind.ts'

export interface IntentDeps {
  readonly processor: Pick<Processor, 'entryMode'>
  readonly vault: CardVault
  /** The machine's: messages to the bank are distinguished by it. */
  readonly clock: Clock
  readonly nextId: (kind: IdKind) => bigint | Promise<bigint>
}

/** The decisions about a payment before its intent is written. */
export interface IntentDecision {
  /** Null when the payment names an existing customer. */
  readonly newCustomerId: bigint | null
  /** SERVICE code when the gateway declines by itself and sends nothing; else null. */
  readonly declinedServiceCode: number | null
  /** Null when the intent does not take the order reference. */
  readonly claim: NewClaim | null
  /** Null for a payment without an idempotency key. */
  readonly key: IdempotencyKey | null
  /** The issuer is asked for an authentication first. */
  readonly pending: boolean
}

/** The record that is written before the bank is asked; ids and message identity are final. */
export async function describeIntent(
  deps: IntentDeps,
  payment: Resolved,
  { newCustomerId, declinedServiceCode, claim, key, pending }: IntentDecision,
): Promise<PaymentIntent> {
  const { command, saved } = payment
  const { site } = command
  const at = site.clock.now()
  const given = command.renewal ?? command.ids
  const customer = describeCustomer(payment, newCustomerId)
  const lines: NewLine[] = []
  for (const line of command.lines) {
    lines.push({
      id: await deps.nextId('line'),
      product: line.product || site.defaultProduct,
      merchantProduct: line.merchantProduct,
      count: line.count,
      amountMinor: line.amountMinor,
      membershipId: line.membershipId ?? null,
    })
  }
  return {
    transactionId: given?.transactionId ?? (await deps.nextId('transaction')),
    orderId: given?.orderId ?? (await deps.nextId('order')),
    requestId: command.requestId,
    origin: originOf(command),
    merchantId: site.merchantId,
    siteId: site.id,
    merchantAccountId: payment.account.id,
    mode: site.mode,
    kind: command.kind,
    currency: payment.currency.code,
    amountMinor: command.totalMinor,
    reference: command.orderReference,
    message: { number: await deps.nextId('message'), at: wholeSecond(deps.clock.now()) },
    entryMode: deps.processor.entryMode(isOnFile(payment)),
    membershipReference: command.initiation.membershipReference,
    processorUdf1: command.processorUdf1,
    processorUdf2: command.processorUdf2,
    extras: JSON.stringify(command.extras),
    customer,
    card: saved === null ? await describeNewCard(deps, payment) : describeKnownCard(payment, saved),
    lines,
    claim,
    membershipClaim:
      pending || declinedServiceCode !== null ? null : claimMemberships(payment, customer.id, at),
    key,
    pending,
    idsGiven: given !== undefined,
    operationId: command.ids?.operationId ?? null,
    declinedServiceCode,
    expiresAt: declinedServiceCode === null ? expiryIfApproved(payment, at) : null,
    at,
  }
}

/**
 * Until when a payment that starts at `at` may be captured. The row of the order has it from its
 * intent on: an approval changes no column with an index then. Null: it is no authorization.
 */
export function expiryIfApproved({ command, pan }: Resolved, at: Date): Date | null {
  return command.kind === 'authorization'
    ? authorizationExpiresAt(pan.brand, at, command.initiation.initiator)
    : null
}

/** Only a portal user's payment and a renewal have ids that were given before. */
function originOf({ renewal, ids }: PaymentCommand): TransactionOrigin {
  if (renewal !== undefined) return 'rebill'
  return ids === undefined ? 'api' : 'portal'
}

function describeCustomer(
  { command, customer }: Resolved,
  newCustomerId: bigint | null,
): NewCustomer | KnownCustomer {
  const sentAddress = Object.values(command.billing).some((text) => text !== '')
  if (customer !== null) {
    return {
      known: true,
      id: customer.id,
      billing: sentAddress ? addressText(command.billing) : null,
    }
  }
  invariant(newCustomerId !== null, 'a new customer has no id')
  const { reference, firstName, lastName, email, phone, login, others } = command.customer
  return {
    known: false,
    id: newCustomerId,
    reference,
    firstName,
    lastName,
    email,
    phone,
    login,
    billing: addressText(command.billing),
    shipping: addressText(command.shipping),
    others: JSON.stringify(others),
  }
}

/** As JSON, without the parts that were not sent. */
function addressText(address: PostalAddress): string {
  const sent = Object.entries(address).filter(([, text]) => text !== '')
  return sent.length === 0 ? '{}' : JSON.stringify(Object.fromEntries(sent))
}

async function describeNewCard(deps: IntentDeps, payment: Resolved): Promise<NewPaymentMethod> {
  const { command, pan, expiry } = payment
  const { id, sealed } = payment.fresh ?? (await sealForNewRow(deps, payment))
  return {
    known: false,
    id,
    sealed,
    fingerprint: payment.fingerprint,
    brand: pan.brand ?? '',
    last4: pan.last4,
    expiryMonth: expiry?.month ?? null,
    expiryYear: expiry?.year ?? null,
    reference: command.card.kind === 'saved' ? '' : command.card.reference,
  }
}

/** A number that was under a token is encrypted for another row. */
async function sealForNewRow(
  { nextId, vault }: IntentDeps,
  { command, pan }: Resolved,
): Promise<Pick<NewPaymentMethod, 'id' | 'sealed'>> {
  const id = await nextId('paymentMethod')
  const place = { kind: 'payment method', id } as const
  return { id, sealed: (await vault.seal(pan, place, command.site.merchantId)).sealed }
}

function describeKnownCard({ command }: Resolved, saved: SavedCard): KnownPaymentMethod {
  const { card } = command
  return {
    known: true,
    id: saved.paymentMethodId,
    expiryMonth: card.expiry?.month ?? null,
    expiryYear: card.expiry?.year ?? null,
    reference: card.kind !== 'saved' && card.reference !== '' ? card.reference : null,
  }
}

/** The question to the bank. */
export function authorizationRequest(
  payment: Resolved,
  message: MessageIdentity,
  authentication: AuthenticationValues | null,
): AuthorizationRequest {
  const { command } = payment
  const { billing } = command
  const sent = billing.street !== '' || billing.postalCode !== ''
  const onFile = payment.customer?.billing
  const address = sent
    ? { street: billing.street, postalCode: billing.postalCode }
    : { street: onFile?.['street'] ?? '', postalCode: onFile?.['postalCode'] ?? '' }
  return {
    kind: command.kind,
    message,
    account: payment.account,
    amountMinor: command.totalMinor,
    currency: payment.currency,
    pan: payment.pan,
    expiry: payment.expiry,
    cvv: effectiveCvvMode(payment) === 'F' ? null : payment.cvv,
    address: effectiveAvsMode(payment) === 'F' ? null : address,
    cardOnFile: isOnFile(payment),
    requestAccountUpdate: command.renewal !== undefined,
    initiation: command.initiation,
    partial: command.partial,
    orderReference: command.orderReference,
    authentication,
    businessTime: command.site.hasOwnClock ? command.site.clock.now() : null,
    descriptor: command.descriptor,
    bankTest: command.bankTest,
  }
}

/** Bank messages carry whole seconds; an identity must read back as it was written. */
export function wholeSecond(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 1_000) * 1_000)
}
