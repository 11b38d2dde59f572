import { EVENT_TYPES, type EventType } from '../../domain/events/event-types.ts'

/** A JSON schema, or a part of one. */
export type Schema = { readonly [name: string]: unknown }

type Fields = Readonly<Record<string, Schema>>

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
/** The address of the schemas; the last part is `<type>.json`. */
export const SCHEMAS_PATH = '/schemas/events/v1'

const text: Schema = { type: 'string' }
const id: Schema = { type: 'string', pattern: '^[0-9]+$' }
const time: Schema = { type: 'string', format: 'date-time' }
const day: Schema = { type: 'string', format: 'date' }
const count: Schema = { type: 'integer', minimum: 0 }
const amount: Schema = { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$' }
const currency: Schema = { type: 'string', pattern: '^[A-Z]{3}$' }
const texts: Schema = { type: 'array', items: text }
const maybe = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })
/** Values may be added: a client must expect others. */
const known = (...values: readonly string[]): Schema => ({ type: 'string', examples: values })
const object = (fields: Fields): Schema => ({
  type: 'object',
  properties: fields,
  required: Object.keys(fields),
})

const ORDER_NAMES: Fields = {
  po_id: id,
  xtl_order_id: text,
  cust_id: id,
  xtl_cust_id: text,
  mbshp_ids: { type: 'array', items: id },
  mbshp_id_xtl: text,
  card: object({
    brand: text,
    last4: { type: 'string', pattern: '^[0-9]{4}$' },
    pmt_id: id,
    pmt_id_xtl: text,
  }),
}
const MONEY: Fields = { amount, currency }
const SUMS: Fields = {
  order: object({
    authorized: amount,
    captured: amount,
    voided: amount,
    refunded: amount,
    remaining: amount,
  }),
}
const TRANSACTION: Fields = {
  ...ORDER_NAMES,
  trans_id: id,
  status: known('APPROVED', 'DECLINED', 'FAILED'),
  ...MONEY,
  codes: object({ service: count, processor: text, industry: text, response: text }),
}
const CHARGE: Fields = { ...TRANSACTION, requested_amount: amount, avs: text, cvv: text, eci: text }
const AUTHORIZATION: Fields = { ...CHARGE, expires_at: maybe(time) }
const ADJUSTMENT: Fields = { ...TRANSACTION, ...SUMS }
const CONFIRMED: Fields = { ...ORDER_NAMES, trans_id: id, ...MONEY, bank_code: text }
const REVERSED: Fields = {
  ...CONFIRMED,
  reason: known('void', 'unknown_outcome', 'avs_rule', 'cvv_rule', 'partial_refused', 'expired'),
}
const MEMBERSHIP: Fields = {
  mbshp_id: id,
  mbshp_id_xtl: text,
  cust_id: id,
  xtl_cust_id: text,
  first_po_id: id,
  status: known('ACTIVE', 'PAST_DUE', 'CANCEL_SCHEDULED', 'CANCELLED', 'ENDED'),
  ...MONEY,
  pmt_id: id,
  product: text,
  next_product: maybe(text),
  period_start: maybe(time),
  period_end: maybe(time),
  next_charge: maybe(time),
  ends_at: maybe(time),
}
const CHARGED: Fields = { ...MEMBERSHIP, po_id: id, trans_id: id, attempt: count }
const BATCH: Fields = { batch_id: id, merchant_account_id: id, closed_at: time }
const SETTLEMENT: Fields = { settlement_file_id: id, merchant_account_id: id, currency }
const DIFFERENCE: Fields = {
  difference_id: id,
  po_id: id,
  currency,
  reasons: { type: 'array', items: object({ text }) },
}
const SETTINGS: Fields = { operation: text, settings: texts }

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
    reason: known('request', 'scheduled', 'renewal_failed', 'stop_order'),
  },
  'membership.ended': { ...MEMBERSHIP, reason: known('term') },
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
    ...SETTLEMENT,
    payout_id: id,
    reference: text,
    trace: text,
    gross: amount,
    refunds: amount,
    chargebacks: amount,
    fees: amount,
    reserve: amount,
    amount,
    value_date: day,
    arrives: maybe(day),
  },
  'reconciliation.difference': DIFFERENCE,
  'reconciliation.cleared': DIFFERENCE,
  'site.changed': SETTINGS,
  'api_user.changed': { ...SETTINGS, username: text },
}

/** Fields that only some events of a type have: from a settlement file rather than an answer. */
const OPTIONAL: Fields = { settlement_file_id: id }
const MAY_COME_FROM_A_FILE: ReadonlySet<EventType> = new Set([
  'capture.rejected',
  'refund.rejected',
])

/** The published schema of a type of event. It is open: fields are added within version 1. */
export function eventSchema(type: EventType): Schema {
  const { object: about, when } = EVENT_TYPES[type]
  const data = object(DATA[type])
  const optional = MAY_COME_FROM_A_FILE.has(type) ? OPTIONAL : {}
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
      actor: maybe(object({ type: known('portal_user'), id })),
      req_id: maybe(id),
      data: { ...data, properties: { ...DATA[type], ...optional } },
    }),
  }
}
