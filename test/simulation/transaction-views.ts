import { NO_CARD_PRODUCT } from '../../packages/gateway/src/domain/payments/card-product.ts'
import { NO_FOLLOW_UP } from '../../packages/gateway/src/usecases/payments/follow-up.ts'
import {
  cardView,
  resultCodes,
  type TransactionView,
} from '../../packages/gateway/src/usecases/payments/transaction-view.ts'
import type { TransactionRow } from './durable-rows.ts'

const BLANK_CARD = cardView({
  product: NO_CARD_PRODUCT,
  balance: '',
  brand: '',
  last4: '',
  paymentMethodId: 0n,
  reference: '',
})
const NO_CODES = { processorCode: '', processorAdvice: '', industryCode: '', industryAdvice: '' }

/** A row as merchants see it, without the fields that no invariant reads. */
export function viewOf({
  id,
  kind,
  state,
  order,
  valueMinor,
  createdAt,
}: TransactionRow): TransactionView {
  const negative = kind === 'refund' || kind === 'void' || kind === 'capture_void'
  return {
    kind,
    state,
    transactionId: id,
    orderId: order.id,
    customerId: null,
    customerReference: '',
    orderReference: order.reference,
    batchId: null,
    processorName: '',
    merchantAccountId: order.merchantAccountId,
    currency: order.currency,
    valueMinor: negative ? -valueMinor : valueMinor,
    conversion: null,
    card: BLANK_CARD,
    processorUdf1: '',
    processorUdf2: '',
    authCode: '',
    retrievalReference: '',
    processorReference: '',
    avsCode: '',
    cvvCode: '',
    networkTransactionId: '',
    codes: resultCodes(state, 0, NO_CODES),
    followUp: NO_FOLLOW_UP,
    lines: [],
    threeDs: null,
    createdAt,
  }
}
