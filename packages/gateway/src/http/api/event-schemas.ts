import { EVENT_TYPES, type EventType } from '../../domain/events/event-types.ts'
import { CANCEL_REASONS, TERM } from '../../domain/memberships/membership-facts.ts'
import {
  ADJUSTMENT,
  amount,
  AUTHORIZATION,
  BATCH,
  CARD,
  CHARGE,
  CHARGED,
  CONFIRMED,
  count,
  currency,
  day,
  DIFFERENCE,
  DISPUTE,
  ENDPOINT,
  ENDPOINT_HEALTH,
  id,
  known,
  maybe,
  MEMBERSHIP,
  MONEY,
  object,
  ORDER_NAMES,
  PAYOUT,
  REVERSED,
  SETTINGS,
  SETTLEMENT,
  SETTLEMENT_DIFFERENCE,
  SUMS,
  text,
  time,
  TRANSACTION,
  type Fields,
  type Schema,
} from './event-fields.ts'

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
/** The address of the schemas; the last part is `<type>.json`. */
export const SCHEMAS_PATH = '/schemas/events/v1'

const DATA: Readonly<Record<EventType, Fields>> = {
  'payment.approved': CHARGE,
  'payment.declined': CHARGE,
  'payment.failed': CHARGE,
  'authorization.approved': AUTHORIZATION,
  'authorization.declined': AUTHORIZATION,
  'authorization.failed': AUTHORIZATION,
  'authorization.expiring': { ...ORDER_NAMES, ...MONEY, expires_at: maybe(time) },
  'authorization.expired': { ...ORDER_NAMES, ...MONEY, expires_at: maybe(time), ...SUMS },
  'authorization.voided': ADJUSTMENT,
  'capture.created': ADJUSTMENT,
  'capture.confirmed': CONFIRMED,
  'capture.rejected': CONFIRMED,
  'capture.voided': ADJUSTMENT,
  'refund.created': ADJUSTMENT,
  'refund.confirmed': CONFIRMED,
  'refund.rejected': CONFIRMED,
  'refund.approved': TRANSACTION,
  'refund.declined': TRANSACTION,
  'refund.failed': TRANSACTION,
  'reversal.confirmed': REVERSED,
  'reversal.rejected': REVERSED,
  'three_ds.abandoned': { ...ORDER_NAMES, trans_id: id, ...MONEY, result: text },
  'membership.began': MEMBERSHIP,
  'membership.renewed': CHARGED,
  'membership.renewal_declined': {
    ...CHARGED,
    outcome: known('declined', 'unknown', 'not_sent', 'forbidden'),
    next_attempt: maybe(time),
    reason: text,
  },
  'membership.past_due': { ...MEMBERSHIP, since: maybe(time) },
  'membership.recovered': CHARGED,
  'membership.product_changed': { ...MEMBERSHIP, old_next_product: maybe(text) },
  'membership.card_updated': { ...MEMBERSHIP, old_pmt_id: id },
  'membership.cancel_scheduled': MEMBERSHIP,
  'membership.cancelled': {
    ...MEMBERSHIP,
    reason: known(...CANCEL_REASONS),
  },
  'membership.ended': { ...MEMBERSHIP, reason: known(TERM) },
  'batch.closed': {
    ...BATCH,
    agreement: known('off', 'asked'),
    sums: {
      type: 'array',
      items: object({
        currency,
        action: known('sale', 'capture', 'refund'),
        brand: text,
        transactions: count,
        amount,
        voided: amount,
      }),
    },
  },
  'batch.agreed': BATCH,
  'batch.differs': { ...BATCH, differences: count },
  'settlement.received': {
    ...SETTLEMENT,
    business_date: day,
    value_date: day,
    lines: count,
    gross: amount,
    fees: amount,
    net: amount,
  },
  'payout.created': {
    ...PAYOUT,
    gross: amount,
    refunds: amount,
    chargebacks: amount,
    fees: amount,
    reserve: amount,
  },
  'payout.deposited': PAYOUT,
  'payout.returned': PAYOUT,
  'settlement.difference': SETTLEMENT_DIFFERENCE,
  'settlement.cleared': SETTLEMENT_DIFFERENCE,
  'dispute.opened': DISPUTE,
  'dispute.updated': DISPUTE,
  'dispute.answered': { ...DISPUTE, answer: known('accept', 'contest') },
  'dispute.won': DISPUTE,
  'dispute.lost': DISPUTE,
  'dispute.accepted': DISPUTE,
  'dispute.withdrawn': DISPUTE,
  'card.updated': { ...CARD, update: known('A', 'C', 'E'), po_id: id, trans_id: id },
  'card.removed': { ...CARD, reason: known('staff', 'customer_erased') },
  'reconciliation.difference': DIFFERENCE,
  'reconciliation.cleared': DIFFERENCE,
  'site.changed': SETTINGS,
  'api_user.changed': { ...SETTINGS, username: text },
  'endpoint.tested': ENDPOINT,
  'endpoint.paused': ENDPOINT_HEALTH,
  'endpoint.resumed': ENDPOINT_HEALTH,
  'endpoint.disabled': ENDPOINT_HEALTH,
}

/** Fields that only some events of a type have. */
function optionalFields(type: EventType): Fields {
  const { object: about } = EVENT_TYPES[type]
  // The order is not always known.
  if (about === 'dispute' || about === 'settlement_difference') return ORDER_NAMES
  // From a settlement file rather than an answer.
  const mayComeFromFile = type === 'capture.rejected' || type === 'refund.rejected'
  return mayComeFromFile ? { settlement_file_id: id } : {}
}

/** The published schema of a type of event. It is open: fields are added within version 1. */
export function eventSchema(type: EventType): Schema {
  const { object: about, when } = EVENT_TYPES[type]
  const data = object(DATA[type])
  return {
    $schema: DIALECT,
    $id: `${SCHEMAS_PATH}/${type}.json`,
    title: type,
    description: `This event says that ${when}.`,
    ...object({
      id: { type: 'string', pattern: '^evt_[A-Za-z0-9_-]+$' },
      type: { const: type },
      schema: { const: `${SCHEMAS_PATH}/${type}.json` },
      timestamp: time,
      recorded_at: time,
      mode: maybe(known('test', 'live')),
      merchant_id: id,
      site_id: maybe(id),
      object: object({ type: { const: about }, id }),
      sequence: { type: 'integer', minimum: 1 },
      origin: known('API', 'PORTAL', 'REBILL', 'RESOLVER', 'EXPIRY', 'BANK', 'OPERATOR', 'GATEWAY'),
      actor: maybe(object({ type: known('portal_user', 'api_user'), id })),
      req_id: maybe(id),
      data: { ...data, properties: { ...DATA[type], ...optionalFields(type) } },
    }),
  }
}
