import type { Health, OrderStatus, Transaction } from './answers.ts'
import { readHealth, readOrderStatus, readTransaction } from './answers.ts'
import type { Parameters } from './parameters.ts'
import type { RawRecord } from './raw-record.ts'
import type {
  AdjustmentRequest,
  OrderName,
  PaymentRequest,
  TransactionUpdate,
  VoidRequest,
} from './requests.ts'
import { adjustmentParameters, orderParameters, paymentParameters } from './requests.ts'
import type { ThreeDsSession, ThreeDsSessionRequest } from './three-ds.ts'
import { readThreeDsSession, sessionParameters } from './three-ds.ts'

export interface ClientOptions {
  /** Scheme, host and port, without the path. */
  readonly baseUrl: string
  readonly username: string
  readonly password: string
  readonly siteId: string | number
  readonly format?: 'JSON'
  /** Time to wait for an answer, in milliseconds. Default: 120 s, as the gateway requires. */
  readonly timeoutMs?: number
  /** Replaces the built-in fetch, for example to trust a self-signed certificate. */
  readonly fetch?: typeof fetch
}

export interface Client {
  testAuth(): Promise<Health>
  testGateway(): Promise<Health>
  authorize(request: PaymentRequest): Promise<Transaction>
  sale(request: PaymentRequest): Promise<Transaction>
  /** Step 1 of 3-D Secure; the next payment has `threeDs`. Nothing is paid yet. */
  threeDsSession(request: ThreeDsSessionRequest): Promise<ThreeDsSession>
  capture(request: AdjustmentRequest): Promise<Transaction>
  refund(request: AdjustmentRequest): Promise<Transaction>
  void(request: VoidRequest): Promise<Transaction>
  captureVoid(request: VoidRequest): Promise<Transaction>
  status(order: OrderName): Promise<OrderStatus>
  updateTransaction(update: TransactionUpdate): Promise<OrderStatus>
  /** Sends any parameters beside the credentials; a parameter of the same name replaces them. */
  raw(parameters: Parameters): Promise<RawRecord>
}

/**
 * There is no usable answer. `accepted` is 'no' if the gateway reported that it accepted nothing:
 * sending again is safe. Otherwise it is 'unknown': ask `status` before you send again.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly accepted: 'no' | 'unknown'

  constructor(message: string, accepted: 'no' | 'unknown', options?: ErrorOptions) {
    super(message, options)
    this.accepted = accepted
  }
}

const PATH = '/payment/pmt_service.cfm'
const THREE_DS_PATH = '/payment/3dsrequest.cfm'
/** Statuses with which the gateway refuses before it reads or stores anything. */
const NOT_ACCEPTED: readonly number[] = [405, 413, 415, 429, 503]

/**
 * A client for one user and site. It keeps no state, so one serves any number of requests at once.
 */
export function createClient(options: ClientOptions): Client {
  const raw = (parameters: Parameters) => send(options, PATH, parameters)
  const transaction = async (parameters: Parameters) => readTransaction(await raw(parameters))
  return {
    raw,
    testAuth: async () => readHealth(await raw({ REQUEST_ACTION: 'TESTAUTH' })),
    testGateway: async () => readHealth(await raw({ REQUEST_ACTION: 'TESTGW' })),
    authorize: (request) => transaction(paymentParameters('CCAUTHORIZE', request)),
    sale: (request) => transaction(paymentParameters('CCAUTHCAP', request)),
    threeDsSession: async (request) =>
      readThreeDsSession(await send(options, THREE_DS_PATH, sessionParameters(request))),
    capture: (request) => transaction(adjustmentParameters('CCCAPTURE', request)),
    refund: (request) => transaction(adjustmentParameters('CCCREDIT', request)),
    void: (request) => transaction(adjustmentParameters('CCREVERSE', request)),
    captureVoid: (request) => transaction(adjustmentParameters('CCREVERSECAP', request)),
    status: async (order) => readOrderStatus(await raw(orderParameters('CCSTATUS', order))),
    updateTransaction: async (update) =>
      readOrderStatus(
        await raw({
          ...orderParameters('CCTRANSUPDATE', update),
          TRANS_CUSTOMER_RECEIPT: update.receipt,
          MBSHP_ID_XTL: update.membershipReference,
        }),
      ),
  }
}

async function send(
  options: ClientOptions,
  path: string,
  parameters: Parameters,
): Promise<RawRecord> {
  const timeoutMs = options.timeoutMs ?? 120_000
  const call = options.fetch ?? fetch
  const address = new URL(path, options.baseUrl)
  let status: number
  let text: string
  try {
    const response = await call(address, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: formOf(options, parameters),
      signal: AbortSignal.timeout(timeoutMs),
      // A redirect would send card data to an address that the merchant did not choose.
      redirect: 'error',
    })
    status = response.status
    text = await response.text()
  } catch (cause) {
    const timedOut = cause instanceof Error && cause.name === 'TimeoutError'
    const what = timedOut
      ? `did not answer within ${timeoutMs / 1000} s`
      : 'could not be reached, or the connection broke'
    throw new ClientError(
      `The gateway at ${address.origin} ${what}. Whether it accepted the request is unknown: ask for the status of the order before you send it again.`,
      'unknown',
      { cause },
    )
  }
  return readAnswer(address, status, text)
}

function formOf(options: ClientOptions, parameters: Parameters): string {
  const all: Parameters = {
    REQ_USERNAME: options.username,
    REQ_PASSWORD: options.password,
    SITE_ID: options.siteId,
    REQUEST_API_VERSION: '4.14',
    REQUEST_RESPONSE_FORMAT: options.format ?? 'JSON',
    ...parameters,
  }
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) form.set(name, String(value))
  }
  return form.toString()
}

function readAnswer(address: URL, status: number, text: string): RawRecord {
  if (status !== 200) {
    const accepted = NOT_ACCEPTED.includes(status) ? 'no' : 'unknown'
    const next =
      accepted === 'no'
        ? 'It accepted nothing: send the request again later.'
        : 'Ask for the status of the order before you send it again.'
    throw new ClientError(
      `The gateway at ${address.origin} answered with HTTP status ${status}, where 200 was expected. ${next}`,
      accepted,
    )
  }
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) {
      return { ...answer }
    }
  } catch {
    // Falls through to the same error: the answer is not a record.
  }
  throw new ClientError(
    `The gateway at ${address.origin} did not answer with a JSON object. Check that baseUrl is the address of the gateway, and ask for the status of the order before you send it again.`,
    'unknown',
  )
}
