import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { findCurrency, type Currency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import { parseCardProduct } from '../../../domain/payments/card-product.ts'
import type { TransactionState } from '../../../domain/payments/transaction-states.ts'
import type { MessageIdentity } from '../../../usecases/payments/payment-store.ts'
import {
  cardView,
  conversionView,
  resultCodes,
  type LineView,
  type ThreeDsView,
  type TransactionKind,
  type TransactionOrigin,
  type TransactionView,
} from '../../../usecases/payments/transaction-view.ts'

export interface OrderReader {
  findTransaction(transactionId: bigint): Promise<TransactionView | null>
  /** The same transactions, in the sequence asked for; read in one query. */
  findTransactions(
    client: Pick<pg.ClientBase, 'query'>,
    transactionIds: readonly bigint[],
  ): Promise<ReadonlyMap<bigint, TransactionView>>
}

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

/** Selects such rows; a condition over `transactions t` follows. */
export const SELECT_TRANSACTIONS = `
select t.id, t.order_id, t.request_id, t.kind, t.state, t.value_minor, t.batch_id, t.to_processor,
       b.closed_at is not null as batch_closed, t.service_code, t.processor_code,
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
       coalesce(a.message_version, '') as message_version, coalesce(a.ds_trans_id::text, '') as ds_trans_id
  from transactions t
  join orders o on o.id = t.order_id
  join customers c on c.id = o.customer_id
  join payment_methods p on p.id = o.payment_method_id
  join merchant_accounts m on m.id = o.merchant_account_id
  left join batches b on b.id = t.batch_id
  left join three_ds_authentications a on a.transaction_id = t.id
  cross join lateral (
    select coalesce(json_agg(json_build_object(
             'id', coalesce(a.shown_id, l.id)::text, 'count', l.count,
             'amount', coalesce(a.amount_minor, l.amount_minor)::text,
             'product', l.product, 'membership', l.membership_id::text) order by l.number), '[]') as lines
      from order_lines l
      left join adjustment_lines a on a.order_line_id = l.id and a.transaction_id = t.id
     where l.order_id = t.order_id
       and (a.transaction_id is not null
            or not exists (select from adjustment_lines x where x.transaction_id = t.id))) lines`

/** Reads orders back as merchants see them. */
export function createOrderReader(
  pool: pg.Pool,
  retrievalReference: (order: MessageIdentity) => string,
): OrderReader {
  const view = (row: TransactionRow): TransactionView => transactionView(row, retrievalReference)

  async function findTransactions(
    client: Pick<pg.ClientBase, 'query'>,
    transactionIds: readonly bigint[],
  ): Promise<Map<bigint, TransactionView>> {
    const { rows } = await client.query<TransactionRow>({
      name: 'find transactions',
      text: `${SELECT_TRANSACTIONS} where t.id = any($1::bigint[])`,
      values: [transactionIds],
    })
    return new Map(rows.map((row) => [BigInt(row.id), view(row)]))
  }

  return {
    findTransactions,
    async findTransaction(transactionId) {
      return (await findTransactions(pool, [transactionId])).get(transactionId) ?? null
    },
  }
}

function knownCurrency(code: string): Currency {
  const currency = findCurrency(code)
  invariant(currency !== null, 'a stored row has an unknown currency')
  return currency
}

/** Money that goes back to the customer, or is not taken after all, is shown below zero. */
const NEGATIVE: ReadonlySet<TransactionKind> = new Set(['refund', 'void', 'capture_void'])

export function transactionView(
  row: TransactionRow,
  retrievalReference: (order: MessageIdentity) => string,
): TransactionView {
  const currency = knownCurrency(row.currency)
  const sign = NEGATIVE.has(row.kind) ? -1n : 1n
  const valueMinor = sign * BigInt(row.value_minor)
  const settled =
    row.settled_minor === null || row.settled_currency === null || row.settled_rate === null
      ? null
      : {
          minor: BigInt(row.settled_minor),
          currency: knownCurrency(row.settled_currency),
          rate: row.settled_rate,
        }
  const lines: LineView[] = row.lines.map((line) => ({
    id: BigInt(line.id),
    count: line.count,
    amountMinor: sign * BigInt(line.amount),
    product: line.product,
    membershipId: line.membership === null ? null : BigInt(line.membership),
  }))
  const order = { number: BigInt(row.message_number), at: row.message_at }
  return {
    kind: row.kind,
    state: row.state,
    transactionId: BigInt(row.id),
    orderId: BigInt(row.order_id),
    customerId: BigInt(row.customer_id),
    customerReference: row.customer_reference,
    orderReference: row.order_reference,
    batchId: row.batch_id === null ? null : BigInt(row.batch_id),
    processorName: row.to_processor ? row.processor_name : '',
    merchantAccountId: BigInt(row.merchant_account_id),
    currency,
    valueMinor,
    conversion: row.state === 'approved' ? conversionView(valueMinor, currency, settled) : null,
    card: cardView({
      product: parseCardProduct(row.card_product),
      balance:
        row.card_balance_minor === null
          ? ''
          : formatMinor(BigInt(row.card_balance_minor), currency),
      brand: row.brand,
      last4: row.last4,
      paymentMethodId: BigInt(row.payment_method_id),
      reference: row.card_reference,
      update:
        row.update_description === ''
          ? null
          : { on: row.updated_on ?? '', description: row.update_description },
    }),
    processorUdf1: row.processor_udf1,
    processorUdf2: row.processor_udf2,
    authCode: row.auth_code,
    retrievalReference: row.to_processor ? retrievalReference(order) : '',
    processorReference: row.network_transaction_id,
    avsCode: row.avs_code,
    cvvCode: row.cvv_code,
    networkTransactionId: row.network_transaction_id,
    codes: resultCodes(row.state, row.service_code, {
      processorCode: row.processor_code,
      processorAdvice: row.processor_advice,
      industryCode: row.industry_code,
      industryAdvice: row.industry_advice,
    }),
    lines,
    threeDs: threeDsView(row),
    createdAt: row.created_at,
  }
}

/** The issuer's values, once they were used. The link to a challenge is returned only once. */
function threeDsView(row: TransactionRow): ThreeDsView | null {
  if (row.three_ds_state === null) return null
  const isOpen = row.state === 'pending'
  return {
    response: isOpen ? (row.three_ds_state === 'asking' ? '' : 'C') : row.three_ds_response,
    eci: isOpen ? '' : row.eci,
    procTransId: row.proc_trans_id,
    version: row.message_version,
    dsTransId: row.ds_trans_id,
    cardholderInfo: row.cardholder_info,
    challenge: null,
  }
}
