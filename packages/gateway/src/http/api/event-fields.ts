import { DISPUTE_STATES } from '../../domain/disputes/dispute-states.ts'

/** A JSON schema, or a part of one. */
export type Schema = { readonly [name: string]: unknown }

export type Fields = Readonly<Record<string, Schema>>

export const text: Schema = { type: 'string' }
export const id: Schema = { type: 'string', pattern: '^[0-9]+$' }
export const time: Schema = { type: 'string', format: 'date-time' }
export const day: Schema = { type: 'string', format: 'date' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const amount: Schema = { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$' }
export const currency: Schema = { type: 'string', pattern: '^[A-Z]{3}$' }
const texts: Schema = { type: 'array', items: text }
export const maybe = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })
/** Values may be added: a client must expect others. */
export const known = (...values: readonly string[]): Schema => ({
  type: 'string',
  examples: values,
})
export const object = (fields: Fields): Schema => ({
  type: 'object',
  properties: fields,
  required: Object.keys(fields),
})

export const ORDER_NAMES: Fields = {
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
export const MONEY: Fields = { amount, currency }
export const SUMS: Fields = {
  order: object({
    authorized: amount,
    captured: amount,
    voided: amount,
    refunded: amount,
    remaining: amount,
  }),
}
export const TRANSACTION: Fields = {
  ...ORDER_NAMES,
  trans_id: id,
  status: known('APPROVED', 'DECLINED', 'FAILED'),
  ...MONEY,
  codes: object({ service: count, processor: text, industry: text, response: text }),
}
export const CHARGE: Fields = {
  ...TRANSACTION,
  requested_amount: amount,
  avs: text,
  cvv: text,
  eci: text,
}
export const AUTHORIZATION: Fields = { ...CHARGE, expires_at: maybe(time) }
export const ADJUSTMENT: Fields = { ...TRANSACTION, ...SUMS }
export const CONFIRMED: Fields = { ...ORDER_NAMES, trans_id: id, ...MONEY, bank_code: text }
export const REVERSED: Fields = {
  ...CONFIRMED,
  reason: known('void', 'unknown_outcome', 'avs_rule', 'cvv_rule', 'partial_refused', 'expired'),
}
export const MEMBERSHIP: Fields = {
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
export const CHARGED: Fields = { ...MEMBERSHIP, po_id: id, trans_id: id, attempt: count }
export const BATCH: Fields = { batch_id: id, merchant_account_id: id, closed_at: time }
export const SETTLEMENT: Fields = { settlement_file_id: id, merchant_account_id: id, currency }
export const PAYOUT: Fields = {
  ...SETTLEMENT,
  payout_id: id,
  reference: text,
  trace: text,
  amount,
  value_date: day,
  arrives: maybe(day),
}
export const SETTLEMENT_DIFFERENCE: Fields = {
  difference_id: id,
  merchant_account_id: id,
  code: text,
  since: day,
  here_amount: maybe(amount),
  here_currency: maybe(currency),
  bank_amount: maybe(amount),
  bank_currency: maybe(currency),
  trans_id: maybe(id),
  payout_id: maybe(id),
  dispute_id: maybe(id),
  settlement_file_id: maybe(id),
  ended_as: maybe(text),
}
export const DISPUTE: Fields = {
  dispute_id: id,
  case_id: text,
  merchant_account_id: id,
  status: known(...Object.keys(DISPUTE_STATES).map((state) => state.toUpperCase())),
  brand: text,
  ...MONEY,
  reason: maybe(text),
  is_charged: { type: 'boolean' },
  respond_by: maybe(day),
  network_due: maybe(day),
  changed_at: time,
}
export const CARD: Fields = { pmt_id: id, pmt_id_xtl: text, cust_id: id, brand: text, last4: text }
export const DIFFERENCE: Fields = {
  difference_id: id,
  po_id: id,
  currency,
  reasons: { type: 'array', items: object({ text }) },
}
export const SETTINGS: Fields = { operation: text, settings: texts }
export const ENDPOINT: Fields = { endpoint_id: id }
export const ENDPOINT_HEALTH: Fields = {
  ...ENDPOINT,
  reason: known('', 'requested', 'failing', 'gone'),
  failures: count,
  failing_since: maybe(time),
}
