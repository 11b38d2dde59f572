import type { AccountUpdate } from '../../../usecases/payments/payment-store.ts'
import { CARD_DATA } from '../events/card-facts.ts'

const FROM_JSON = `conclusion int, merchant_advice text, card_id bigint, result text, description text,
         updated_on date, expiry_month smallint, expiry_year smallint, pan_ciphertext text,
         data_key_id int, fingerprint text, last4 text, at timestamptz`

/**
 * Steps of the statement that concludes payments: keep what came with the answers of those that are
 * concluded, and the new data of their cards. `parameter` is one JSON array of `accountUpdateRow`.
 */
export function noteAccountUpdates(parameter: number): string {
  const updates = `json_to_recordset($${parameter}::json) as s (${FROM_JSON})`
  return `new_account_updates as (
  insert into account_updates (transaction_id, merchant_id, merchant_advice, update_result, at)
  select c.transaction_id, c.merchant_id, s.merchant_advice, s.result, s.at
    from ${updates} join concluded c on c.n = s.conclusion
), updated_cards as (
  update payment_methods p
     set expiry_month = coalesce(s.expiry_month, p.expiry_month),
         expiry_year = coalesce(s.expiry_year, p.expiry_year),
         pan_ciphertext = coalesce(decode(s.pan_ciphertext, 'hex'), p.pan_ciphertext),
         data_key_id = coalesce(s.data_key_id, p.data_key_id),
         fingerprint = coalesce(decode(s.fingerprint, 'hex'), p.fingerprint),
         last4 = coalesce(s.last4, p.last4),
         update_description = s.description,
         updated_on = s.updated_on,
         updated_at = s.at,
         data_changed_at =
           case when s.expiry_year is null and s.last4 is null then p.data_changed_at else s.at end
    from ${updates} join concluded c on c.n = s.conclusion
   where p.id = s.card_id and s.result in ('A', 'C', 'E') and p.removed_at is null
  returning p.id, p.merchant_id, p.customer_id, p.mode, p.brand, p.last4, p.reference, s.result,
            c.transaction_id
), updated_card_facts as (
  insert into event_outbox (type, merchant_id, object_id, details)
  select 'card.updated', merchant_id, id,
         json_build_object('mode', mode, 'origin', 'BANK', 'data', json_build_object(
           ${CARD_DATA}, 'update', result, 'po_id', (
             select t.order_id::text from transactions t where t.id = transaction_id),
           'trans_id', transaction_id::text))
    from updated_cards
), `
}

/** Account updates as an object of the statement's JSON; `conclusion` is the row of its payment. */
export function accountUpdateRow(
  conclusion: number,
  { merchantAdvice, update }: AccountUpdate,
  at: Date,
): Readonly<Record<string, unknown>> {
  return {
    conclusion,
    merchant_advice: merchantAdvice,
    card_id: update?.cardId.toString() ?? null,
    result: update?.result ?? null,
    description: update?.description ?? '',
    updated_on: update?.on ?? null,
    expiry_month: update?.expiry?.month ?? null,
    expiry_year: update?.expiry?.year ?? null,
    pan_ciphertext: update?.number?.sealed.ciphertext ?? null,
    data_key_id: update?.number?.sealed.dataKeyId ?? null,
    fingerprint: update?.number?.fingerprint ?? null,
    last4: update?.number?.last4 ?? null,
    at: at.toISOString(),
  }
}
