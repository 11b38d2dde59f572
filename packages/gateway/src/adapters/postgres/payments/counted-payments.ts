/**
 * How transactions t are counted; null for those that are not counted. These are open ones, checks
 * of cards without an amount, refused refunds, and adjustments without a refund.
 */
export const OUTCOME = `case
  when t.kind = 'refund' then case when t.state = 'approved' then 'refunded' end
  when t.kind in ('authorization', 'sale') and t.amount_minor > 0
   and t.state not in ('running', 'pending') then t.state end`

/** Why it was declined; 0 for what was not. */
export const CODE = `case
  when t.kind <> 'refund' and t.state in ('declined', 'failed') then t.service_code else 0 end`

/** The approved or refunded amount; else the requested one. */
export const MINOR = `case when t.state = 'approved' then t.value_minor else t.amount_minor end`
