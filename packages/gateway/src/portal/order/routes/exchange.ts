import { write, type Format } from '../../../http/payment/formats/format.ts'
import { transactionAnswer } from '../../../http/payment/transaction-record.ts'
import type { TransactionView } from '../../../usecases/payments/transaction-view.ts'
import { notFound } from '../../shell/portal-route.ts'

/** A request as the request log has it, masked when it came in. */
export interface LoggedRequest {
  readonly requestId: bigint
  readonly receivedAt: Date
  readonly username: string
  readonly address: string
  readonly action: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly httpStatus: number
  readonly tookMs: number
}

export interface ExchangeDeps {
  readonly findTransaction: (transactionId: bigint) => Promise<TransactionView | null>
  readonly findRequest: (merchantId: bigint, requestId: bigint) => Promise<LoggedRequest | null>
}

/** A response to a program, and its request. */
export interface Exchange {
  /** Null without a request, and for a request that is kept no longer. */
  readonly request: LoggedRequest | null
  readonly answer: { readonly format: Format; readonly type: string; readonly text: string }
}

/**
 * A transaction's response in the format of its request, written again from the stored data. A
 * repeat of the request would get the same today.
 */
export async function answerAgain(
  deps: ExchangeDeps,
  merchantId: bigint,
  transactionId: bigint,
  requestId: bigint,
): Promise<Exchange> {
  const [view, request] = await Promise.all([
    deps.findTransaction(transactionId),
    deps.findRequest(merchantId, requestId),
  ])
  if (view === null) throw notFound('transaction')
  const sent = String(request?.parameters['REQUEST_RESPONSE_FORMAT'] ?? 'XML').toUpperCase()
  const format: Format = sent === 'JSON' || sent === 'PIPES' ? sent : 'XML'
  const { type, body } = write(transactionAnswer(view, requestId), format)
  return { request, answer: { format, type, text: body } }
}
