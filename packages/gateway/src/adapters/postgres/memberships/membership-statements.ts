import { beginningOf } from '../../../domain/memberships/membership-facts.ts'
import type { NewMembership } from '../../../usecases/payments/payment-store.ts'
import {
  MEMBERSHIP_STATE_COLUMNS,
  MEMBERSHIP_STATE_TYPES,
  membershipStateRow,
} from './membership-rows.ts'

/** The columns that a membership takes from the order that starts it, of `orders r`. */
export const MEMBERSHIP_ORDER_COLUMNS =
  'r.site_id, r.mode, r.customer_id, r.payment_method_id, r.merchant_account_id, r.network_transaction_id'

const FROM_JSON = [
  'conclusion integer',
  'id bigint',
  'order_line_id bigint',
  'created_at timestamptz',
  ...MEMBERSHIP_STATE_COLUMNS.map((name) => `${name} ${MEMBERSHIP_STATE_TYPES[name]}`),
].join(', ')

const OWN_COLUMNS = MEMBERSHIP_STATE_COLUMNS.filter((name) => name !== 'payment_method_id')

/**
 * The membership that line `l` begins, or the one that it has; $`parameter` as `newMembershipRow`
 * makes it.
 */
export function membershipOfLine(parameter: number): string {
  return `coalesce((select s.id from json_to_recordset($${parameter}::json) as s (id bigint, order_line_id bigint)
                 where s.order_line_id = l.id), l.membership_id)`
}

/**
 * A step of the statement that concludes payments: begins the memberships of those that are
 * concluded.
 */
export function beginMemberships(parameter: number): string {
  return `new_memberships as (
  insert into memberships (id, order_line_id, created_at, order_id, merchant_id, currency, site_id, mode,
                           customer_id, payment_method_id, merchant_account_id, network_transaction_id,
                           ${OWN_COLUMNS.join(', ')})
  select s.id, s.order_line_id, s.created_at, r.order_id, r.merchant_id, r.currency, r.site_id, r.mode,
         r.customer_id, r.payment_method_id, r.merchant_account_id, r.network_transaction_id,
         ${OWN_COLUMNS.map((name) => `s.${name}`).join(', ')}
    from json_to_recordset($${parameter}::json) as s (${FROM_JSON})
    join changed_orders r on r.n = s.conclusion
  returning id, merchant_id, site_id
), begun_facts as (
  insert into event_outbox (type, merchant_id, site_id, object_id, details)
  select 'membership.began', m.merchant_id, m.site_id, m.id, s.began
    from new_memberships m
    join json_to_recordset($${parameter}::json) as s (id bigint, began json) on s.id = m.id
), `
}

/**
 * A new membership as an object of the statement's JSON; `conclusion` is the row of its payment.
 */
export function newMembershipRow(
  conclusion: number,
  { id, lineId, membership }: NewMembership,
  createdAt: Date,
): Readonly<Record<string, unknown>> {
  // The card is the order's.
  const row = membershipStateRow({ ...membership, cardId: 0n })
  const cells = MEMBERSHIP_STATE_COLUMNS.map((name): [string, unknown] => {
    const cell = row[name]
    return [name, cell instanceof Date ? timestampText(cell) : cell]
  })
  return {
    ...Object.fromEntries(cells),
    conclusion,
    id: id.toString(),
    order_line_id: lineId.toString(),
    created_at: timestampText(createdAt),
    began: beginningOf(membership, createdAt).details,
  }
}

/** PostgreSQL reads years after 9999, but not with a sign and zeros before them. */
function timestampText(at: Date): string {
  return at.toISOString().replace(/^\+0*/, '')
}
