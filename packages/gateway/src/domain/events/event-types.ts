/** Every type of event, with its object and the fact. Types are only ever added. */
export const EVENT_TYPES = {
  'payment.approved': {
    object: 'order',
    when: 'a sale was approved and captured, in whole or in part',
  },
  'payment.declined': { object: 'order', when: 'the bank or a rule declined a sale' },
  'payment.failed': {
    object: 'order',
    when: 'a sale ended without an answer of the bank; the gateway reverses it',
  },
  'authorization.approved': { object: 'order', when: 'an authorization was approved' },
  'authorization.declined': {
    object: 'order',
    when: 'the bank or a rule declined an authorization',
  },
  'authorization.failed': {
    object: 'order',
    when: 'an authorization ended without an answer of the bank; the gateway reverses it',
  },
  'authorization.expiring': {
    object: 'order',
    when: 'an authorization with an uncaptured amount expires within 24 hours',
  },
  'authorization.expired': {
    object: 'order',
    when: 'an authorization expired, and its uncaptured amount is released',
  },
  'authorization.voided': { object: 'order', when: 'an uncaptured amount was voided' },
  'capture.created': { object: 'order', when: 'an amount of an authorization was captured' },
  'capture.confirmed': {
    object: 'order',
    when: 'the bank acknowledged a capture of an authorization',
  },
  'capture.rejected': {
    object: 'order',
    when: 'the bank refused a capture, or a settlement file rejects it',
  },
  'capture.voided': { object: 'order', when: 'a capture was voided before its batch closed' },
  'refund.created': { object: 'order', when: 'a refund of an order was accepted' },
  'refund.confirmed': { object: 'order', when: 'the bank acknowledged a refund' },
  'refund.rejected': {
    object: 'order',
    when: 'the bank refused a refund, or a settlement file rejects it',
  },
  'refund.approved': { object: 'order', when: 'the bank approved a refund without an order' },
  'refund.declined': { object: 'order', when: 'the bank declined a refund without an order' },
  'refund.failed': {
    object: 'order',
    when: 'a refund without an order ended without an answer of the bank',
  },
  'reversal.confirmed': { object: 'order', when: 'the bank acknowledged a reversal' },
  'reversal.rejected': {
    object: 'order',
    when: 'the bank refused a reversal, so that an operator has to check the order',
  },
  'three_ds.abandoned': {
    object: 'order',
    when: 'the authentication of a payment expired without a final call',
  },
  'membership.began': { object: 'membership', when: 'the first payment was approved' },
  'membership.renewed': { object: 'membership', when: 'a renewal was paid' },
  'membership.renewal_declined': {
    object: 'membership',
    when: 'an attempt of a renewal was not paid; the outcome and the next attempt follow',
  },
  'membership.past_due': { object: 'membership', when: 'a renewal failed and is retried' },
  'membership.recovered': {
    object: 'membership',
    when: 'a renewal was paid after a failed attempt',
  },
  'membership.product_changed': {
    object: 'membership',
    when: 'another product was planned for the next renewal, or the plan was dropped',
  },
  'membership.card_updated': { object: 'membership', when: 'another saved card is charged' },
  'membership.cancel_scheduled': {
    object: 'membership',
    when: 'the membership ends with its paid period',
  },
  'membership.cancelled': { object: 'membership', when: 'the membership was cancelled' },
  'membership.ended': { object: 'membership', when: 'the last period of the product is over' },
  'batch.closed': { object: 'batch', when: 'the content of a closed batch is fixed' },
  'batch.agreed': { object: 'batch', when: 'the bank has the same totals' },
  'batch.differs': { object: 'batch', when: 'the bank has other totals' },
  'settlement.received': { object: 'settlement_file', when: 'a settlement file was booked' },
  'settlement.difference': {
    object: 'settlement_difference',
    when: 'a settlement file, a bank statement or a deadline showed a difference',
  },
  'settlement.cleared': {
    object: 'settlement_difference',
    when: 'such a difference has ended',
  },
  'payout.created': { object: 'payout', when: 'a settlement file announced a payout' },
  'payout.deposited': { object: 'payout', when: 'a bank statement has the deposit of a payout' },
  'payout.returned': { object: 'payout', when: 'a payout went back to the acquirer' },
  'dispute.opened': {
    object: 'dispute',
    when: 'the acquirer gave notice of an inquiry, a fraud report or a chargeback',
  },
  'dispute.updated': { object: 'dispute', when: 'a notice moved a dispute or changed its amount' },
  'dispute.answered': {
    object: 'dispute',
    when: 'the merchant accepted a dispute, or answered it with evidence',
  },
  'dispute.won': { object: 'dispute', when: 'a dispute ended for the merchant' },
  'dispute.lost': { object: 'dispute', when: 'a dispute ended for the cardholder' },
  'dispute.accepted': { object: 'dispute', when: 'the acquirer confirmed an acceptance' },
  'dispute.withdrawn': { object: 'dispute', when: 'a dispute was closed without a decision' },
  'card.updated': {
    object: 'card',
    when: 'the answer to a payment had new data of the saved card',
  },
  'card.removed': { object: 'card', when: 'the number of a saved card was erased' },
  'reconciliation.difference': {
    object: 'difference',
    when: 'the reconciliation found a difference of an order, or it has other figures',
  },
  'reconciliation.cleared': { object: 'difference', when: 'the reconciliation found it gone' },
  'site.changed': { object: 'site', when: 'settings of a site were changed' },
  'api_user.changed': { object: 'api_user', when: 'an API user was made or changed' },
  'endpoint.tested': { object: 'endpoint', when: 'a test event was requested for an endpoint' },
  'endpoint.paused': {
    object: 'endpoint',
    when: 'an endpoint was paused by a user, or after a day of failed attempts',
  },
  'endpoint.resumed': {
    object: 'endpoint',
    when: 'an endpoint was resumed by a user, or by an attempt that succeeded',
  },
  'endpoint.disabled': {
    object: 'endpoint',
    when: 'an endpoint was disabled by its answer 410, or after five days of failed attempts',
  },
} as const satisfies Readonly<Record<string, { readonly object: string; readonly when: string }>>

export type EventType = keyof typeof EVENT_TYPES
export type EventObjectType = (typeof EVENT_TYPES)[EventType]['object']

export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as readonly EventType[]
