import type { MembershipDetails, MembershipFacts } from '../../domain/events/membership-event.ts'
import type { OrderFacts, TransactionFacts } from '../../domain/events/order-facts.ts'
import { dataOf } from '../../domain/events/whole-fact.ts'
import type { MailKindName } from '../../domain/mail/mail-kinds.ts'
import type { MailValues } from '../../domain/mail/placeholders.ts'
import { formatMinor } from '../../domain/money.ts'
import type { RecordedFact } from '../events/event-store.ts'

/** The content of a fact for the reader of a mail. */
export interface FactOfMail {
  readonly kind: MailKindName
  readonly siteId: string | null
  readonly mode: 'test' | 'live'
  /** The customer that it goes to; null for notices. */
  readonly customerId: string | null
  readonly orderId: string | null
  readonly at: Date
  readonly values: MailValues
  /** Members of `values` that are moments, as ISO 8601. */
  readonly moments: MailValues
}

/** Null for a fact that makes no mail of any kind. */
export function mailOfFact(fact: RecordedFact): FactOfMail | null {
  switch (fact.kind) {
    case 'transaction':
      return ofTransaction(fact.type, fact.facts)
    case 'advice':
      return /[.]rejected$/.test(fact.type) && !fact.type.startsWith('reversal.')
        ? ofRejected(fact.facts, fact.facts.amountMinor, fact.facts.at)
        : null
    case 'rejected':
      return ofRejected(fact.facts, fact.facts.valueMinor, fact.at)
    case 'membership':
      return fact.type === 'membership.renewal_declined' ? ofDeclined(fact) : null
    case 'whole':
      return ofWhole(fact)
    case 'expiry':
    case 'abandoned':
      return null
  }
}

const RECEIPTS: Readonly<Record<string, MailKindName>> = {
  'payment.approved': 'receipt',
  'capture.created': 'receipt',
  'refund.created': 'refund_receipt',
  'refund.approved': 'refund_receipt',
}

function ofTransaction(type: string, facts: TransactionFacts): FactOfMail | null {
  const receipt = RECEIPTS[type]
  if (receipt === undefined) return null
  return {
    ...aboutOrder(facts),
    kind: receipt === 'receipt' && facts.origin === 'rebill' ? 'renewal_receipt' : receipt,
    customerId: facts.customerId,
    at: facts.at,
    values: {
      ...namesOf(facts, facts.valueMinor),
      card_brand: facts.card.brand,
      card_last4: facts.card.last4,
      membership: facts.membershipReference || (facts.membershipIds[0] ?? ''),
    },
  }
}

function ofRejected(facts: OrderFacts, minor: bigint, at: Date): FactOfMail {
  const values = namesOf(facts, minor)
  return { ...aboutOrder(facts), kind: 'payment_rejected', customerId: null, at, values }
}

function aboutOrder({ mode, orderId, siteId }: OrderFacts) {
  return { mode, orderId, siteId, moments: {} }
}

function namesOf(facts: OrderFacts, minor: bigint): MailValues {
  return {
    amount: formatMinor(minor, facts.currency),
    currency: facts.currency.code,
    order: facts.reference || facts.orderId,
    order_id: facts.orderId,
  }
}

function ofDeclined({
  details,
  facts,
}: {
  readonly details: MembershipDetails
  readonly facts: MembershipFacts
}): FactOfMail {
  return {
    kind: 'renewal_failed',
    siteId: facts.siteId,
    mode: facts.mode,
    customerId: facts.customerId,
    orderId: textOf(details['po_id']) || null,
    at: new Date(textOf(details['at'])),
    values: {
      amount: formatMinor(BigInt(details['price_minor'] ?? 0), facts.currency),
      currency: facts.currency.code,
      membership: facts.reference || facts.membershipId,
      product: textOf(details['product']),
    },
    moments: { next_attempt: textOf(details['next_attempt']) },
  }
}

/** The members of an event's data that a notice shows, by placeholder. */
const NOTICE_VALUES: Readonly<Record<string, readonly [kind: MailKindName, members: MailValues]>> =
  {
    'dispute.opened': [
      'dispute_opened',
      {
        dispute: 'dispute_id',
        case: 'case_id',
        amount: 'amount',
        currency: 'currency',
        deadline: 'respond_by',
      },
    ],
    'payout.deposited': [
      'payout_deposited',
      { payout: 'payout_id', amount: 'amount', currency: 'currency', reference: 'reference' },
    ],
    'settlement.difference': [
      'settlement_difference',
      { difference: 'difference_id', code: 'code' },
    ],
    'endpoint.paused': ['endpoint_stopped', { endpoint: 'endpoint_id', reason: 'reason' }],
    'endpoint.disabled': ['endpoint_stopped', { endpoint: 'endpoint_id', reason: 'reason' }],
  }

function ofWhole(fact: Extract<RecordedFact, { kind: 'whole' }>): FactOfMail | null {
  const [kind, members] = NOTICE_VALUES[fact.type] ?? []
  if (kind === undefined || members === undefined) return null
  // A user asked for the other pauses.
  if (kind === 'endpoint_stopped' && fact.content.origin !== 'GATEWAY') return null
  const data = dataOf(fact.content)
  const shown = Object.entries(members).map(([name, member]) => [name, textOf(data[member])])
  const order = fact.order
  return {
    kind,
    siteId: fact.siteId,
    mode: fact.content.mode ?? 'live',
    customerId: null,
    orderId: order?.orderId ?? null,
    at: fact.at,
    values: {
      ...(order !== null && { order: order.reference || order.orderId }),
      ...Object.fromEntries(shown),
    },
    moments: {},
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
