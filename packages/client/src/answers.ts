import type { Answer } from './answer.ts'
import { readNextPayment, type NextPayment } from './next-payment.ts'
import { type RawRecord, type Tier, tier, field } from './raw-record.ts'
import { REQUEST_ID_HEADER } from './send.ts'
import type { ThreeDsResult } from './three-ds.ts'
import { readThreeDs } from './three-ds.ts'

export type TransactionStatus = 'APPROVED' | 'DECLINED' | 'PENDING' | 'RUNNING' | 'FAILED' | ''

/** The answer to a payment or an adjustment. */
export interface Transaction extends NextPayment {
  /** '' if the request never became a transaction: see `api` and `refField`. */
  readonly status: TransactionStatus
  readonly approved: boolean
  readonly action: string
  readonly requestId: string
  /** Tollgate-Request-Id, for the operator's logs; '' if a row of CCSTATUS was read. */
  readonly httpRequestId: string
  /** Decimal text, '' if none. A partial approval is lower than the requested amount. */
  readonly value: string
  readonly currency: string
  readonly valueSettled: string
  readonly transactionId: string
  readonly orderId: string
  readonly orderReference: string
  readonly customerId: string
  readonly paymentMethodId: string
  /** CARD_BRAND_TRANSID: send it as `series.networkTransactionId` with renewals of your own. */
  readonly networkTransactionId: string
  readonly cardBrand: string
  readonly last4: string
  readonly authCode: string
  readonly avs: string
  readonly cvv: string
  /** Null if the payment was made without 3-D Secure. */
  readonly threeDs: ThreeDsResult | null
  readonly api: Tier
  readonly service: Tier
  readonly processor: Tier
  readonly industry: Tier
  /** The parameter at fault, '' if none. */
  readonly refField: string
  readonly lines: readonly TransactionLine[]
  readonly raw: RawRecord
}

export interface TransactionLine {
  readonly lineId: string
  readonly count: string
  readonly amount: string
  readonly productId: string
  /** The membership that began with this line, '' if none did. */
  readonly membershipId: string
}

/** The answer to a health check. */
export interface Health {
  readonly ok: boolean
  readonly api: Tier
  readonly service: Tier
  readonly raw: RawRecord
}

/** One answer about an order, with its transactions. `events` is null on every refusal. */
export interface OrderAnswer {
  readonly events: readonly RawRecord[] | null
  readonly api: Tier
  readonly service: Tier
  readonly raw: RawRecord
}

export function readTransaction(answer: Answer): Transaction {
  const { header, raw } = answer
  const status = field(raw, 'TRANS_STATUS_NAME')
  return {
    status: isStatus(status) ? status : '',
    approved: status === 'APPROVED',
    action: field(raw, 'REQUEST_ACTION'),
    requestId: field(raw, 'REQ_ID'),
    httpRequestId: header(REQUEST_ID_HEADER),
    value: field(raw, 'TRANS_VALUE'),
    currency: field(raw, 'CURR_CODE_ALPHA'),
    valueSettled: field(raw, 'TRANS_VALUE_SETTLED'),
    transactionId: field(raw, 'TRANS_ID'),
    orderId: field(raw, 'PO_ID'),
    orderReference: field(raw, 'XTL_ORDER_ID'),
    customerId: field(raw, 'CUST_ID'),
    paymentMethodId: field(raw, 'PMT_ID'),
    networkTransactionId: field(raw, 'CARD_BRAND_TRANSID'),
    cardBrand: field(raw, 'CARD_BRAND_NAME'),
    last4: field(raw, 'PMT_L4'),
    authCode: field(raw, 'PROC_AUTH_RESPONSE'),
    avs: field(raw, 'AVS_RESPONSE'),
    cvv: field(raw, 'CVV_RESPONSE'),
    threeDs: readThreeDs(raw),
    ...readNextPayment(answer),
    api: tier(raw, 'API'),
    service: tier(raw, 'SERVICE'),
    processor: tier(raw, 'PROCESSOR'),
    industry: tier(raw, 'INDUSTRY'),
    refField: field(raw, 'REF_FIELD'),
    lines: readLines(raw),
    raw,
  }
}

const STATUSES: readonly string[] = ['APPROVED', 'DECLINED', 'PENDING', 'RUNNING', 'FAILED', '']

function isStatus(text: string): text is TransactionStatus {
  return STATUSES.includes(text)
}

function readLines(raw: RawRecord): TransactionLine[] {
  const lines: TransactionLine[] = []
  for (let at = 1; field(raw, `PO_LI_ID_${at}`) !== ''; at += 1) {
    lines.push({
      lineId: field(raw, `PO_LI_ID_${at}`),
      count: field(raw, `PO_LI_COUNT_${at}`),
      amount: field(raw, `PO_LI_AMOUNT_${at}`),
      productId: field(raw, `PO_LI_PROD_ID_${at}`),
      membershipId: field(raw, `MBSHP_ID_${at}`),
    })
  }
  return lines
}

export function readHealth(raw: RawRecord): Health {
  const [api, service] = [tier(raw, 'API'), tier(raw, 'SERVICE')]
  const ok = api.code === '0' && (service.code === '100' || service.code === '101')
  return { ok, api, service, raw }
}

/**
 * The transactions of all orders of the name, the latest order first, or the certainty that the
 * gateway has no such order.
 */
export type OrderStatus =
  | { readonly found: true; readonly events: readonly RawRecord[]; readonly raw: RawRecord }
  | { readonly found: false; readonly raw: RawRecord }

export function readOrderAnswer(raw: RawRecord): OrderAnswer {
  const { COLUMNS: columns, DATA: rows } = raw
  const events =
    Array.isArray(columns) && Array.isArray(rows)
      ? rows.map((row: unknown) => rowRecord(columns, row))
      : null
  return { events, api: tier(raw, 'API'), service: tier(raw, 'SERVICE'), raw }
}

function rowRecord(columns: readonly unknown[], row: unknown): RawRecord {
  const cells: readonly unknown[] = Array.isArray(row) ? row : []
  return Object.fromEntries(columns.map((name, at) => [String(name), cells[at] ?? '']))
}
