import type { PaymentIntent } from '../../../usecases/payments/payment-store.ts'
import { declinedEvent } from '../events/outbox.ts'
import { INTEND_STEPS, intentColumns, intentLineColumns } from './intend-steps.ts'
import { earlierText } from './reference-claims.ts'

const i = intentColumns.cells(1)

/** Returns the row numbers, from 1, of the intents that were let in. */
const INTEND = `${INTEND_STEPS}
select n from accepted`

/** For groups with payments that are declined without the bank; the others pay nothing for it. */
const INTEND_AND_DECLINE = intendWith(`new_facts as (
  insert into event_outbox (type, merchant_id, site_id, object_id, transaction_id)
  select ${declinedEvent(i.kind)}, ${i.merchant_id}, ${i.site_id}, ${i.order_id},
         ${i.transaction_id}
    from accepted where ${i.state} = 'declined'
)`)

/** The first parameter behind those of the statement. */
export const AFTER_INTENDS = 1 + intentColumns.count + intentLineColumns.count

/** The statement with one more step, which writes something else of the same intents. */
export function intendWith(step: string): string {
  return `${INTEND_STEPS}, ${step}
select n from accepted`
}

/** The statement that writes a group of intents. */
export function intendQuery(rows: readonly PaymentIntent[]): {
  name: string
  text: string
  values: unknown[]
} {
  const declines = rows.some((row) => row.declinedServiceCode !== null)
  const lines = rows.flatMap((row, intent) =>
    row.lines.map((line, at) => ({
      id: line.id,
      intent: intent + 1,
      merchant_id: row.merchantId,
      order_id: row.orderId,
      number: at + 1,
      product: line.product,
      merchant_product: line.merchantProduct,
      count: line.count,
      amount_minor: line.amountMinor,
      membership_id: line.membershipId,
    })),
  )
  return {
    name: declines ? 'intend and decline' : 'intend',
    text: declines ? INTEND_AND_DECLINE : INTEND,
    values: [...intentColumns.values(rows.map(intentRow)), ...intentLineColumns.values(lines)],
  }
}

function intentRow(intent: PaymentIntent): Parameters<typeof intentColumns.values>[0][number] {
  const { customer, card } = intent
  const declined = intent.declinedServiceCode !== null
  const state = declined ? 'declined' : intent.pending ? 'pending' : 'running'
  return {
    transaction_id: intent.transactionId,
    order_id: intent.orderId,
    request_id: intent.requestId,
    origin: intent.origin,
    merchant_id: intent.merchantId,
    site_id: intent.siteId,
    merchant_account_id: intent.merchantAccountId,
    mode: intent.mode,
    kind: intent.kind,
    order_kind: intent.kind === 'refund' ? 'unreferenced_credit' : 'payment',
    state,
    order_state: state,
    service_code: intent.declinedServiceCode ?? 0,
    to_processor: state === 'running',
    currency: intent.currency,
    amount_minor: intent.amountMinor,
    reference: intent.reference,
    message_number: intent.message.number,
    message_at: intent.message.at,
    entry_mode: intent.entryMode,
    membership_reference: intent.membershipReference,
    processor_udf1: intent.processorUdf1,
    processor_udf2: intent.processorUdf2,
    extras: intent.extras,
    claim_content: intent.claim?.content ?? null,
    claim_details: intent.claim?.details ?? null,
    claim_earlier: intent.claim === null ? null : earlierText(intent.claim.after),
    customer_id: customer.id,
    new_customer: !customer.known,
    customer_reference: customer.known ? '' : customer.reference,
    first_name: customer.known ? '' : customer.firstName,
    last_name: customer.known ? '' : customer.lastName,
    email: customer.known ? '' : customer.email,
    phone: customer.known ? '' : customer.phone,
    login: customer.known ? '' : customer.login,
    billing: customer.billing,
    shipping: customer.known ? '{}' : customer.shipping,
    others: customer.known ? '{}' : customer.others,
    payment_method_id: card.id,
    new_card: !card.known,
    pan_ciphertext: card.known ? '' : card.sealed.ciphertext,
    data_key_id: card.known ? 0 : card.sealed.dataKeyId,
    fingerprint: card.known ? '' : card.fingerprint,
    brand: card.known ? '' : card.brand,
    last4: card.known ? '' : card.last4,
    expiry_month: card.expiryMonth,
    expiry_year: card.expiryYear,
    card_reference: card.reference,
    expires_at: intent.expiresAt,
    at: intent.at,
  }
}
