import { findCurrency } from '@tollgate/kernel/currency'
import { formatMinor } from '@tollgate/kernel/money'
import { serviceAdvice } from '@tollgate/kernel/service-codes'
import { isoIn } from '@tollgate/kernel/time-zone'
import { AVS_CODES, CVV_CODES } from '@tollgate/kernel/verification'

/** One row of the lists of orders and of transactions; amounts in minor units of `currency`. */
export interface ColumnsRow {
  readonly orderId: bigint | string
  /** Of the list of orders: the one that began it. */
  readonly transactionId: bigint | string
  readonly at: Date | string
  readonly site: string
  readonly account: string
  readonly reference: string
  /** A key of STATUS_TEXTS. */
  readonly status: string
  /** A key of ACTION_TEXTS. */
  readonly action: string
  /** A key of INITIATOR_TEXTS. */
  readonly initiator: string
  readonly customerId: bigint | string
  readonly customer: string
  readonly email: string
  readonly brand: string
  readonly last4: string
  readonly currency: string
  readonly amount: bigint | string
  /** Of an order its sum now, of a transaction its signed effect; so are the next three. */
  readonly authorized: bigint | string
  /** Of an order, voided and expired; 0 of a transaction. */
  readonly voided: bigint | string
  readonly captured: bigint | string
  readonly refunded: bigint | string
  /** 0: nothing to say. */
  readonly serviceCode: number
  readonly avs: string
  readonly cvv: string
  /** Status letter of the authentication; '' without one. */
  readonly threeDs: string
  readonly authCode: string
  readonly networkId: string
  readonly batch: bigint | string | null
  /** The user of the request: an API user or a portal user; '' for the gateway itself. */
  readonly user: string
}

/** Which list a column, filter or view is of. */
export type ListName = 'orders' | 'transactions'

export const STATUS_TEXTS = {
  running: 'In progress',
  pending: 'Waiting for 3-D Secure',
  declined: 'Declined',
  failed: 'Failed',
  checked: 'Card checked',
  authorized: 'Authorized',
  part_captured: 'Partly captured',
  captured: 'Captured',
  part_refunded: 'Partly refunded',
  refunded: 'Refunded',
  voided: 'Voided',
  expired: 'Expired',
  approved: 'Approved',
} as const

/** Statuses in which an order can be; a transaction is approved, or one of the first four. */
export const ORDER_STATUSES = Object.keys(STATUS_TEXTS).filter((status) => status !== 'approved')
export const TRANSACTION_STATUSES = ['running', 'pending', 'approved', 'declined', 'failed']

export const ACTION_TEXTS = {
  sale: 'Sale',
  authorization: 'Authorization',
  capture: 'Capture',
  void: 'Authorization void',
  capture_void: 'Capture void',
  full_void: 'Authorization and capture void',
  sale_void: 'Sale void',
  refund: 'Refund',
  check: 'Card check',
  renewal: 'Renewal',
} as const

export const INITIATOR_TEXTS = {
  customer: 'Customer',
  merchant: 'Merchant',
  renewal: 'Renewal',
} as const

/** Of trans_status; A to Z as the protocol has them. */
export const THREE_DS_TEXTS: Readonly<Record<string, string>> = {
  Y: 'authenticated',
  A: 'attempted',
  N: 'not authenticated',
  R: 'rejected by the issuer',
  U: 'not possible',
  C: 'challenge in progress',
  I: 'for information',
}

/** Service codes that add nothing to the status. */
const SILENT_CODES: ReadonlySet<number> = new Set([0, 100])

interface ColumnDefinition {
  /** Of the list of orders, and of both lists unless the other has its own. */
  readonly title: string
  /** Of the list of transactions; null: that list has no such column. */
  readonly transactionTitle?: string | null
  readonly align?: 'right'
  /**
   * Amounts have their currency behind them on the screen, and in a column of its own in a file.
   */
  readonly amount?: true
  /**
   * The text as it stands on the screen and in a file; of amounts, decimals without the currency.
   * A time is ISO 8601 with the offset of the zone.
   */
  text(row: ColumnsRow, timeZone: string): string
}

const amount = (
  title: string,
  of: 'amount' | 'authorized' | 'voided' | 'captured' | 'refunded',
  transactionTitle: string | null = title,
): ColumnDefinition => ({
  title,
  transactionTitle,
  align: 'right',
  amount: true,
  text: (row) => decimalText(row[of], row.currency),
})

/** Every column that a list can have. Pages and files are made of the same ones. */
export const COLUMNS = {
  at: { title: 'Time', text: ({ at }, timeZone) => isoIn(timeZone, new Date(at)) },
  order: { title: 'Order', text: ({ orderId }) => String(orderId) },
  transaction: { title: 'Transaction', text: ({ transactionId }) => String(transactionId) },
  reference: { title: 'Your order id', text: ({ reference }) => reference },
  status: { title: 'Status', text: ({ status }) => textOf(STATUS_TEXTS, status) },
  action: { title: 'Action', text: ({ action }) => textOf(ACTION_TEXTS, action) },
  customer: { title: 'Customer', text: ({ customer }) => customer },
  email: { title: 'E-mail', text: ({ email }) => email },
  customerId: { title: 'Customer id', text: ({ customerId }) => String(customerId) },
  card: { title: 'Card', text: ({ brand, last4 }) => `${brand} ${last4}`.trim() },
  amount: amount('Amount', 'amount'),
  authorized: amount('Authorized', 'authorized', 'Effect on authorized'),
  voided: amount('Voided', 'voided', null),
  captured: amount('Captured', 'captured', 'Effect on captured'),
  refunded: amount('Refunded', 'refunded', 'Effect on refunded'),
  currency: { title: 'Currency', text: ({ currency }) => currency },
  reason: {
    title: 'Reason',
    text: ({ status, serviceCode }) =>
      SILENT_CODES.has(serviceCode) && status !== 'declined'
        ? ''
        : `${serviceCode} ${serviceAdvice(serviceCode)}`,
  },
  avs: { title: 'AVS result', text: ({ avs }) => codeText(avs, AVS_CODES) },
  cvv: { title: 'CVV result', text: ({ cvv }) => codeText(cvv, CVV_CODES) },
  threeDs: { title: '3-D Secure', text: ({ threeDs }) => codeText(threeDs, THREE_DS_TEXTS) },
  initiator: { title: 'Initiated by', text: ({ initiator }) => textOf(INITIATOR_TEXTS, initiator) },
  user: { title: 'User', text: ({ user }) => user },
  site: { title: 'Site', text: ({ site }) => site },
  account: { title: 'Account', text: ({ account }) => account },
  batch: { title: 'Batch', text: ({ batch }) => (batch === null ? '' : String(batch)) },
  authCode: { title: 'Authorization code', text: ({ authCode }) => authCode },
  networkId: { title: 'Network id', text: ({ networkId }) => networkId },
} as const satisfies Readonly<Record<string, ColumnDefinition>>

export type ColumnKey = keyof typeof COLUMNS

const COLUMN_KEYS = Object.keys(COLUMNS) as ColumnKey[]

/** The columns that a list can have. */
export function columnsOf(list: ListName): readonly ColumnKey[] {
  return COLUMN_KEYS.filter(
    (key) => list === 'orders' || columnDefinition(key).transactionTitle !== null,
  )
}

/** The heading of a column, on the screen and in a file. */
export function columnTitle(key: ColumnKey, list: ListName): string {
  const { title, transactionTitle } = columnDefinition(key)
  return list === 'orders' ? title : (transactionTitle ?? title)
}

/** Columns of a list unless the user chose others: as many as fit on a small laptop. */
export const DEFAULT_COLUMNS: Readonly<Record<ListName, readonly ColumnKey[]>> = {
  orders: ['at', 'order', 'reference', 'status', 'amount', 'customer', 'card', 'reason'],
  transactions: [
    'at',
    'transaction',
    'action',
    'authorized',
    'captured',
    'refunded',
    'status',
    'order',
    'amount',
    'card',
    'reason',
  ],
}

/** The column with the properties of all columns. */
export function columnDefinition(key: ColumnKey): ColumnDefinition {
  return COLUMNS[key]
}

/** Known keys of a list in an address, each once; null where there are none. */
export function readColumns(list: ListName, text: string | undefined): readonly ColumnKey[] | null {
  const known = columnsOf(list)
  const keys = [...new Set((text ?? '').split(','))].filter((key): key is ColumnKey =>
    (known as readonly string[]).includes(key),
  )
  return keys.length === 0 ? null : keys
}

/** `12.50`, with the decimals of the currency; with an unknown currency the stored text. */
function decimalText(minor: bigint | string, currency: string): string {
  const known = findCurrency(currency)
  return known === null ? String(minor) : formatMinor(BigInt(minor), known)
}

function textOf(texts: Readonly<Record<string, string>>, key: string): string {
  return texts[key] ?? key
}

function codeText(code: string, texts: Readonly<Record<string, string>>): string {
  if (code === '') return ''
  const words = texts[code]
  return words === undefined ? code : `${code}: ${words}`
}
