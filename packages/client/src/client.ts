import { answerOfRow } from './answer.ts'
import type { Health, OrderAnswer, OrderStatus, Transaction } from './answers.ts'
import { readOrderAnswer, readTransaction } from './answers.ts'
import { ClientError, StatusUnknownError } from './client-error.ts'
import type { Connection } from './input.ts'
import { checkAmount, checkConnection, checkKey, checkMore, checkReference } from './input.ts'
import type { MembershipAnswer, MembershipCancellation, MembershipUpdate } from './memberships.ts'
import { cancellationParameters, readMembership, updateParameters } from './memberships.ts'
import type { Parameters } from './parameters.ts'
import type { RawRecord } from './raw-record.ts'
import { field } from './raw-record.ts'
import { repeatUntilCertain } from './repeat.ts'
import type {
  AdjustmentRequest,
  PaymentRequest,
  StatusName,
  TransactionUpdate,
  VoidRequest,
} from './requests.ts'
import { adjustmentParameters, orderParameters, paymentParameters } from './requests.ts'
import { sendForm } from './send.ts'
import { createSingleRequestClient, LONGEST_WAIT_MS, PAYMENT_PATH } from './single-requests.ts'
import type { ThreeDsSession, ThreeDsSessionRequest } from './three-ds.ts'

export interface ClientOptions extends Connection {
  /**
   * Time for a call with all its repeats, in milliseconds. Default: 120 s. A payment waits for one
   * answer at most half of it.
   */
  readonly timeoutMs?: number
}

export interface Client {
  testAuth(): Promise<Health>
  testGateway(): Promise<Health>
  /** A sale (CCAUTHCAP). It can be repeated safely, and repeats itself while in doubt. */
  pay(request: PaymentRequest): Promise<Transaction>
  /** An authorization (CCAUTHORIZE), as safe as `pay`. */
  authorize(request: PaymentRequest): Promise<Transaction>
  /** Step 1 of 3-D Secure; the next payment has `threeDs`. Nothing is paid yet. */
  threeDsSession(request: ThreeDsSessionRequest): Promise<ThreeDsSession>
  /**
   * Captures, refunds and voids have a key of the shop. They can be repeated safely, and repeat
   * themselves while in doubt.
   */
  capture(request: AdjustmentRequest): Promise<Transaction>
  refund(request: AdjustmentRequest): Promise<Transaction>
  void(request: VoidRequest): Promise<Transaction>
  captureVoid(request: VoidRequest): Promise<Transaction>
  cancelMembership(request: MembershipCancellation): Promise<MembershipAnswer>
  updateMembership(request: MembershipUpdate): Promise<MembershipAnswer>
  /**
   * `found: false` only if the gateway has no such order or membership (SERVICE 512).
   * @throws StatusUnknownError for every other refusal, and without an answer
   */
  status(name: StatusName): Promise<OrderStatus>
  updateTransaction(update: TransactionUpdate): Promise<OrderAnswer>
  /**
   * Sends one request with any parameters beside the credentials. It refuses payments without a
   * reference and UNIQUE_XTL_ORDER_ID=2.
   */
  raw(parameters: Parameters): Promise<RawRecord>
}

/**
 * A client for one user and site. It keeps no state, so one serves any number of requests at once.
 * @throws ClientError that names an invalid option
 */
export function createClient(options: ClientOptions): Client {
  checkConnection(options)
  const { timeoutMs = LONGEST_WAIT_MS } = options
  const single = createSingleRequestClient(options)
  const adjust = (action: string) => (request: VoidRequest) =>
    adjustSafely(options, action, request, timeoutMs)
  const membership = async (parameters: Parameters) => readMembership(await single.raw(parameters))
  return {
    testAuth: single.testAuth,
    testGateway: single.testGateway,
    threeDsSession: single.threeDsSession,
    updateTransaction: single.updateTransaction,
    pay: (request) => paySafely(options, 'CCAUTHCAP', request, timeoutMs),
    authorize: (request) => paySafely(options, 'CCAUTHORIZE', request, timeoutMs),
    capture: adjust('CCCAPTURE'),
    refund: adjust('CCCREDIT'),
    void: adjust('CCREVERSE'),
    captureVoid: adjust('CCREVERSECAP'),
    cancelMembership: (request) => membership(cancellationParameters(request)),
    updateMembership: (request) => membership(updateParameters(request)),
    status: (name) => findStatus(options, name, timeoutMs, {}),
    async raw(parameters) {
      checkRaw(parameters)
      return single.raw(parameters)
    },
  }
}

async function paySafely(
  options: Connection,
  action: 'CCAUTHCAP' | 'CCAUTHORIZE',
  request: PaymentRequest,
  withinMs: number,
): Promise<Transaction> {
  const { idempotencyKey: key, orderReference } = request
  checkReference('orderReference', orderReference, 255)
  if (key !== undefined) checkKey(key)
  checkAmount('amount', request.amount)
  for (const [at, line] of (request.lines ?? []).entries())
    checkAmount(`lines[${at}].amount`, line.amount)
  checkAmount('partial.minimum', request.partial?.minimum)
  checkMore(request.more)
  const parameters = {
    ...paymentParameters(action, { ...request, duplicates: 'replay' }),
    IDEMPOTENCY_KEY: key,
  }
  const headers = keyHeader(key)
  return repeatUntilCertain(
    {
      what: `payment '${orderReference}'`,
      send: async (timeoutMs) =>
        readTransaction(
          await sendForm(options, { path: PAYMENT_PATH, timeoutMs, headers }, parameters),
        ),
      async find(timeoutMs) {
        const advice = { REQUEST_RETRY_ADVICE: 1 }
        const status = await findStatus(options, { orderReference }, timeoutMs, advice)
        return status.found ? latestPayment(status.events, action) : null
      },
    },
    withinMs,
  )
}

async function adjustSafely(
  options: Connection,
  action: string,
  request: VoidRequest,
  withinMs: number,
): Promise<Transaction> {
  const { idempotencyKey: key } = request
  checkKey(key)
  checkAmount('amount', request.amount)
  checkMore(request.more)
  const headers = keyHeader(key)
  const parameters = { ...adjustmentParameters(action, request), IDEMPOTENCY_KEY: key }
  return repeatUntilCertain(
    {
      what: `${action} with the key '${key}'`,
      send: async (timeoutMs) =>
        readTransaction(
          await sendForm(options, { path: PAYMENT_PATH, timeoutMs, headers }, parameters),
        ),
      find: () =>
        Promise.reject(
          new Error('A repeat was refused, which says nothing about the tries before.'),
        ),
    },
    withinMs,
  )
}

/** The key goes twice, because a proxy may drop headers that it does not know. */
function keyHeader(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { 'idempotency-key': key }
}

/** The stages of a payment, the decisive one first. */
const STAGES = ['APPROVED', 'RUNNING', 'PENDING']

/** An approval counts more than attempts of the same reference that were not approved. */
function latestPayment(events: readonly RawRecord[], action: string): Transaction | null {
  const payments = events.filter((event) => field(event, 'REQUEST_ACTION') === action)
  const decisive = STAGES.map((stage) =>
    payments.find((event) => field(event, 'TRANS_STATUS_NAME') === stage),
  ).find((event) => event !== undefined)
  // The latest order comes first.
  const event = decisive ?? payments[0]
  return event === undefined ? null : readTransaction(answerOfRow(event))
}

const NOT_FOUND = '512'

async function findStatus(
  options: Connection,
  order: StatusName,
  timeoutMs: number,
  more: Parameters,
): Promise<OrderStatus> {
  const name = nameOf(order)
  let raw: RawRecord
  try {
    const asked = { ...orderParameters('CCSTATUS', order), ...more }
    raw = (await sendForm(options, { path: PAYMENT_PATH, timeoutMs }, asked)).raw
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StatusUnknownError(`The status of ${name} is unknown: ${reason}`, '', { cause })
  }
  const { api, events, service } = readOrderAnswer(raw)
  if (events !== null) return { found: true, events, raw }
  if (api.code === '0' && service.code === NOT_FOUND) return { found: false, raw }
  throw new StatusUnknownError(
    `The status of ${name} is unknown: the gateway refused the question with API ${api.code} ${api.advice}, SERVICE ${service.code} ${service.advice}. This says nothing about the payment.`,
    api.code,
  )
}

function nameOf(name: StatusName): string {
  if ('orderId' in name) return `order ${name.orderId}`
  return 'membershipId' in name
    ? `membership ${name.membershipId}`
    : `order '${name.orderReference}'`
}

/** @throws ClientError if the parameters are a payment that could not be repeated safely */
function checkRaw(parameters: Parameters): void {
  const upper = new Map(
    Object.entries(parameters).map(([name, value]) => [name.toUpperCase(), String(value ?? '')]),
  )
  const action = upper.get('REQUEST_ACTION')?.toUpperCase() ?? ''
  if (action !== 'CCAUTHCAP' && action !== 'CCAUTHORIZE') return
  const hasReference = (upper.get('XTL_ORDER_ID') ?? upper.get('XTL_PO_ID') ?? '').trim() !== ''
  if (hasReference && upper.get('UNIQUE_XTL_ORDER_ID') === '2') return
  throw new ClientError(
    `Nothing was sent: ${action} needs XTL_ORDER_ID and UNIQUE_XTL_ORDER_ID=2, because it could not be repeated safely without them. Use pay or authorize, which send both.`,
    'no',
  )
}
