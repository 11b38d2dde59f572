import type { Health, OrderAnswer, Transaction } from './answers.ts'
import { readHealth, readOrderAnswer, readTransaction } from './answers.ts'
import type { Connection } from './input.ts'
import type { Parameters } from './parameters.ts'
import type { RawRecord } from './raw-record.ts'
import type {
  AdjustmentDetails,
  PaymentDetails,
  StatusName,
  TransactionUpdate,
  VoidDetails,
} from './requests.ts'
import { adjustmentParameters, orderParameters, paymentParameters } from './requests.ts'
import { sendForm } from './send.ts'
import type { ThreeDsSession, ThreeDsSessionRequest } from './three-ds.ts'
import { readThreeDsSession, sessionParameters } from './three-ds.ts'

/**
 * One request for each call, without repeats and without a reference of its own. This is for the
 * tests and tools of this repository, which observe single answers. Shops use `createClient`.
 */
export interface SingleRequestClient {
  testAuth(): Promise<Health>
  testGateway(): Promise<Health>
  authorize(request: PaymentDetails): Promise<Transaction>
  sale(request: PaymentDetails): Promise<Transaction>
  threeDsSession(request: ThreeDsSessionRequest): Promise<ThreeDsSession>
  capture(request: AdjustmentDetails): Promise<Transaction>
  refund(request: AdjustmentDetails): Promise<Transaction>
  void(request: VoidDetails): Promise<Transaction>
  captureVoid(request: VoidDetails): Promise<Transaction>
  status(name: StatusName): Promise<OrderAnswer>
  updateTransaction(update: TransactionUpdate): Promise<OrderAnswer>
  /** Sends any parameters beside the credentials; a parameter of the same name replaces them. */
  raw(parameters: Parameters): Promise<RawRecord>
}

export interface SingleRequestOptions extends Connection {
  /** Time to wait for an answer, in milliseconds. Default: 120 s. */
  readonly timeoutMs?: number
}

export const PAYMENT_PATH = '/payment/pmt_service.cfm'
export const THREE_DS_PATH = '/payment/3dsrequest.cfm'
/** The longest wait for an answer by the interface, in milliseconds. */
export const LONGEST_WAIT_MS = 120_000

export function createSingleRequestClient(options: SingleRequestOptions): SingleRequestClient {
  const { timeoutMs = LONGEST_WAIT_MS } = options
  const send = (parameters: Parameters) =>
    sendForm(options, { path: PAYMENT_PATH, timeoutMs }, parameters)
  const raw = async (parameters: Parameters) => (await send(parameters)).raw
  const transaction = async (parameters: Parameters) => readTransaction(await send(parameters))
  return {
    raw,
    testAuth: async () => readHealth(await raw({ REQUEST_ACTION: 'TESTAUTH' })),
    testGateway: async () => readHealth(await raw({ REQUEST_ACTION: 'TESTGW' })),
    authorize: (request) => transaction(paymentParameters('CCAUTHORIZE', request)),
    sale: (request) => transaction(paymentParameters('CCAUTHCAP', request)),
    threeDsSession: async (request) =>
      readThreeDsSession(
        (await sendForm(options, { path: THREE_DS_PATH, timeoutMs }, sessionParameters(request)))
          .raw,
      ),
    capture: (request) => transaction(adjustmentParameters('CCCAPTURE', request)),
    refund: (request) => transaction(adjustmentParameters('CCCREDIT', request)),
    void: (request) => transaction(adjustmentParameters('CCREVERSE', request)),
    captureVoid: (request) => transaction(adjustmentParameters('CCREVERSECAP', request)),
    status: async (name) => readOrderAnswer(await raw(orderParameters('CCSTATUS', name))),
    updateTransaction: async (update) =>
      readOrderAnswer(
        await raw({
          ...orderParameters('CCTRANSUPDATE', update),
          TRANS_CUSTOMER_RECEIPT: update.receipt,
          MBSHP_ID_XTL: update.membershipReference,
        }),
      ),
  }
}
