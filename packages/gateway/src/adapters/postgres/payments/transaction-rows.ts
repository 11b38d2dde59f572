import type { TransactionState } from '../../../domain/payments/transaction-states.ts'
import type { KeptUpdate } from '../../../usecases/payments/follow-up.ts'
import type {
  TransactionKind,
  TransactionOrigin,
} from '../../../usecases/payments/transaction-view.ts'
import { ENTERED_BATCH } from './written-ahead.ts'

/** A transaction with what its order, customer, card and batch say of it. */
export interface TransactionRow {
  readonly id: string
  readonly order_id: string
  readonly request_id: string
  readonly kind: TransactionKind
  readonly state: TransactionState
  readonly value_minor: string
  readonly batch_id: string | null
  readonly batch_closed: boolean
  readonly to_processor: boolean
  readonly service_code: number
  readonly response_code: string
  readonly merchant_advice: string
  readonly update_result: KeptUpdate | null
  readonly processor_code: string
  readonly processor_advice: string
  readonly industry_code: string
  readonly industry_advice: string
  readonly avs_code: string
  readonly cvv_code: string
  readonly card_product: string
  readonly card_balance_minor: string | null
  readonly settled_minor: string | null
  readonly settled_currency: string | null
  readonly settled_rate: string | null
  readonly processor_udf1: string
  readonly processor_udf2: string
  readonly created_at: Date
  readonly currency: string
  readonly order_reference: string
  readonly customer_id: string
  readonly customer_reference: string
  readonly merchant_account_id: string
  readonly processor_name: string
  readonly payment_method_id: string
  readonly brand: string
  readonly last4: string
  readonly card_reference: string
  readonly update_description: string
  readonly updated_on: string | null
  readonly auth_code: string
  readonly network_transaction_id: string
  readonly message_number: string
  readonly message_at: Date
  readonly membership_reference: string
  readonly origin: TransactionOrigin
  /** Null where the issuer was not asked; so are the next ones. */
  readonly three_ds_state: string | null
  readonly three_ds_response: string
  readonly eci: string
  /** '' if the customer was not challenged. */
  readonly proc_trans_id: string
  readonly message_version: string
  readonly ds_trans_id: string
  readonly cardholder_info: string
  readonly lines: readonly {
    id: string
    count: number
    amount: string
    product: string
    membership: string | null
  }[]
}

const SELECT_TRANSACTIONS = `
select t.id, t.order_id, t.request_id, t.kind, t.state, t.value_minor, ${ENTERED_BATCH} as batch_id,
       t.to_processor,
       b.closed_at is not null as batch_closed, t.service_code, t.response_code,
       coalesce(n.merchant_advice, '') as merchant_advice, n.update_result, t.processor_code,
       t.processor_advice, t.industry_code, t.industry_advice, t.avs_code, t.cvv_code,
       t.card_product, t.card_balance_minor, t.settled_minor, t.settled_currency, t.settled_rate,
       t.processor_udf1, t.processor_udf2, t.origin, t.created_at,
       o.currency, o.reference as order_reference, o.customer_id, o.merchant_account_id,
       o.auth_code, o.network_transaction_id, o.message_number, o.message_at,
       o.membership_reference, o.payment_method_id,
       c.reference as customer_reference, m.processor_name,
       p.brand, p.last4, p.reference as card_reference, lines.lines,
       -- What was not known yet is not told of what was before.
       case when p.updated_at <= coalesce(t.concluded_at, t.created_at)
            then p.update_description else '' end as update_description,
       p.updated_on::text as updated_on,
       a.state as three_ds_state, a.response as three_ds_response, a.eci, a.cardholder_info,
       case when a.step_up_token_id is null then '' else a.proc_trans_id end as proc_trans_id,
       coalesce(a.message_version, '') as message_version,
       coalesce(a.ds_trans_id::text, '') as ds_trans_id
  from transactions t
  join orders o on o.id = t.order_id
  join customers c on c.id = o.customer_id
  join payment_methods p on p.id = o.payment_method_id
  join merchant_accounts m on m.id = o.merchant_account_id
  left join batches b on b.id = ${ENTERED_BATCH}
  left join account_updates n on n.transaction_id = t.id
  left join three_ds_authentications a on a.transaction_id = t.id
  cross join lateral (
    select coalesce(json_agg(json_build_object(
             'id', coalesce(a.shown_id, l.id)::text, 'count', l.count,
             'amount', coalesce(a.amount_minor, l.amount_minor)::text,
             'product', l.product, 'membership', l.membership_id::text) order by l.number), '[]')
           as lines
      from order_lines l
      left join adjustment_lines a on a.order_line_id = l.id and a.transaction_id = t.id
     where l.order_id = t.order_id
       and (a.transaction_id is not null
            or not exists (select from adjustment_lines x where x.transaction_id = t.id))) lines`

/** Selects such rows by an array of their ids. */
export const FIND_TRANSACTIONS = {
  name: 'find transactions',
  text: `${SELECT_TRANSACTIONS} where t.id = any($1::bigint[])`,
}
