import { formatMinor } from '../money.ts'
import type { EventType } from './event-types.ts'
import type { EventData, EventDraft, EventOrigin } from './event.ts'
import type { AdviceFacts, OrderFacts, OrderSums, TransactionFacts } from './order-facts.ts'

/** Days and hours before the expiry at which an authorization is announced. */
export const EXPIRING_BEFORE_MS = 86_400_000

/** The event of a payment, a capture, a refund or a void. */
export function transactionEvent(type: EventType, facts: TransactionFacts): EventDraft {
  const { actor, codes, expiresAt, kind, origin, sums, valueMinor } = facts
  const amount = (minor: bigint): string => formatMinor(minor, facts.currency)
  const isCharge = kind === 'authorization' || kind === 'sale'
  return {
    ...aboutOrder(facts, facts.at),
    type,
    origin: ORIGINS[origin],
    actor,
    requestId: facts.requestId,
    data: {
      ...namesOf(facts),
      trans_id: facts.transactionId,
      status: facts.state.toUpperCase(),
      amount: amount(valueMinor),
      currency: facts.currency.code,
      ...(isCharge ? { requested_amount: amount(facts.requestedMinor) } : {}),
      codes: { ...codes },
      ...(isCharge ? { avs: facts.avs, cvv: facts.cvv, eci: facts.eci } : {}),
      ...(kind === 'authorization' ? { expires_at: expiresAt?.toISOString() ?? null } : {}),
      ...(sums === null ? {} : { order: sumsOf(facts, sums) }),
    },
  }
}

const ORIGINS = {
  api: 'API',
  portal: 'PORTAL',
  rebill: 'REBILL',
  resolver: 'RESOLVER',
} as const satisfies Readonly<Record<TransactionFacts['origin'], EventOrigin>>

type Kind = TransactionFacts['kind']

/** The type of the event of a concluded payment, or of a refund without an order. */
export function outcomeEventType(kind: Kind, state: TransactionFacts['state']): EventType {
  if (kind === 'authorization') return `authorization.${state}`
  return kind === 'sale' ? `payment.${state}` : `refund.${state}`
}

/**
 * The type of the event of an adjustment. `kind` is null for an expiry, which has an event only if
 * it releases something.
 */
export function adjustmentEventType(kind: Kind | null, releasedMinor: bigint): EventType | null {
  switch (kind) {
    case null:
      return releasedMinor > 0n ? 'authorization.expired' : null
    case 'refund':
      return 'refund.created'
    case 'void':
      return 'authorization.voided'
    case 'capture_void':
      return 'capture.voided'
    case 'authorization':
    case 'sale':
    case 'capture':
      return 'capture.created'
  }
}

/** The event of the bank's acknowledgement. */
export function adviceEvent(type: EventType, facts: AdviceFacts): EventDraft {
  const { amountMinor, bankCode, currency, reason, transactionId } = facts
  return {
    ...aboutOrder(facts, facts.at),
    type,
    origin: 'BANK',
    actor: null,
    requestId: null,
    data: {
      ...namesOf(facts),
      trans_id: transactionId,
      amount: formatMinor(amountMinor, currency),
      currency: currency.code,
      bank_code: bankCode,
      ...(reason === null ? {} : { reason }),
    },
  }
}

/** The event of a capture or refund that a settlement file rejects. */
export function rejectedEvent(facts: TransactionFacts, fileId: string, at: Date): EventDraft {
  const { currency, kind, transactionId, valueMinor } = facts
  return {
    ...aboutOrder(facts, at),
    type: kind === 'refund' ? 'refund.rejected' : 'capture.rejected',
    origin: 'BANK',
    actor: null,
    requestId: null,
    data: {
      ...namesOf(facts),
      trans_id: transactionId,
      amount: formatMinor(valueMinor, currency),
      currency: currency.code,
      bank_code: '',
      settlement_file_id: fileId,
    },
  }
}

/** The event of an authorization that expired, or is about to. */
export function expiryEvent(
  facts: OrderFacts,
  happened: {
    readonly type: 'authorization.expiring' | 'authorization.expired'
    readonly at: Date
    /** Uncaptured, or released. */
    readonly minor: bigint
    readonly expiresAt: Date | null
    readonly sums: OrderSums | null
  },
): EventDraft {
  const { at, expiresAt, minor, sums, type } = happened
  const amount = formatMinor(minor, facts.currency)
  return {
    ...aboutOrder(facts, at),
    type,
    origin: 'EXPIRY',
    actor: null,
    requestId: null,
    data: {
      ...namesOf(facts),
      amount,
      currency: facts.currency.code,
      expires_at: expiresAt?.toISOString() ?? null,
      ...(sums === null ? {} : { order: sumsOf(facts, sums) }),
    },
  }
}

/** The event of an authentication without a final call; `result` is '' if it never ended. */
export function abandonedEvent(facts: TransactionFacts, result: string): EventDraft {
  return {
    ...aboutOrder(facts, facts.at),
    type: 'three_ds.abandoned',
    origin: 'EXPIRY',
    actor: null,
    requestId: facts.requestId,
    data: {
      ...namesOf(facts),
      trans_id: facts.transactionId,
      amount: formatMinor(facts.requestedMinor, facts.currency),
      currency: facts.currency.code,
      result,
    },
  }
}

function aboutOrder(
  { merchantId, mode, orderId, siteId }: OrderFacts,
  at: Date,
): Pick<EventDraft, 'merchantId' | 'siteId' | 'mode' | 'object' | 'at'> {
  return { merchantId, siteId, mode, object: { type: 'order', id: orderId }, at }
}

/** The ids and references that every event of an order has. */
export function namesOf(facts: OrderFacts): EventData {
  const { card } = facts
  return {
    po_id: facts.orderId,
    xtl_order_id: facts.reference,
    cust_id: facts.customerId,
    xtl_cust_id: facts.customerReference,
    mbshp_ids: facts.membershipIds,
    mbshp_id_xtl: facts.membershipReference,
    card: {
      brand: card.brand,
      last4: card.last4,
      pmt_id: card.id,
      pmt_id_xtl: card.reference,
    },
  }
}

function sumsOf({ currency }: OrderFacts, sums: OrderSums): EventData {
  const amount = (minor: bigint): string => formatMinor(minor, currency)
  const { authorizedMinor, capturedMinor, refundedMinor, voidedMinor } = sums
  return {
    authorized: amount(authorizedMinor),
    captured: amount(capturedMinor),
    voided: amount(voidedMinor),
    refunded: amount(refundedMinor),
    remaining: amount(authorizedMinor - capturedMinor - voidedMinor),
  }
}
