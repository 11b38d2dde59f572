import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { findCurrency, type Currency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import { parseCardProduct } from '../../../domain/payments/card-product.ts'
import type { CardBrand } from '../../../domain/payments/card.ts'
import { followUpOf, type FollowUp } from '../../../usecases/payments/follow-up.ts'
import type { MessageIdentity } from '../../../usecases/payments/payment-store.ts'
import {
  cardView,
  conversionView,
  resultCodes,
  type LineView,
  type ThreeDsView,
  type TransactionKind,
  type TransactionView,
} from '../../../usecases/payments/transaction-view.ts'
import { FIND_TRANSACTIONS, type TransactionRow } from './transaction-rows.ts'

export interface OrderReader {
  findTransaction(transactionId: bigint): Promise<TransactionView | null>
  /** The same transactions, in the sequence asked for; read in one query. */
  findTransactions(
    client: Pick<pg.ClientBase, 'query'>,
    transactionIds: readonly bigint[],
  ): Promise<ReadonlyMap<bigint, TransactionView>>
}

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
      ...FIND_TRANSACTIONS,
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
    followUp: followUpOfRow(row, currency),
    lines: linesOf(row, sign),
    threeDs: threeDsView(row),
    createdAt: row.created_at,
  }
}

function linesOf({ lines }: TransactionRow, sign: bigint): LineView[] {
  return lines.map((line) => ({
    id: BigInt(line.id),
    count: line.count,
    amountMinor: sign * BigInt(line.amount),
    product: line.product,
    membershipId: line.membership === null ? null : BigInt(line.membership),
  }))
}

function followUpOfRow(row: TransactionRow, currency: Currency): FollowUp {
  return followUpOf({
    isPayment: row.kind === 'authorization' || row.kind === 'sale',
    state: row.state,
    // The stored text is the result of `cardBrand` for the number.
    brand: row.brand === '' ? null : (row.brand as CardBrand),
    amount: { minor: BigInt(row.value_minor), currency },
    at: row.created_at,
    serviceCode: row.service_code,
    responseCode: row.response_code,
    merchantAdvice: row.merchant_advice,
    accountUpdate: row.update_result,
  })
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
