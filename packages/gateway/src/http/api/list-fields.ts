import type { ListName } from '../../usecases/queries/listed-rows.ts'
import type { ListObject, ListValue } from './list-objects.ts'

type Meanings = Readonly<Record<string, string>>

const SITE: Meanings = { site_id: 'the site', mode: '`test` or `live`' }
const ACCOUNT: Meanings = {
  merchant_account_id: 'the merchant account',
  mode: '`test` or `live`',
}
const CUSTOMER: Meanings = {
  cust_id: 'the customer',
  xtl_cust_id: 'your reference of the customer',
}
const NAMES: Meanings = {
  xtl_order_id: 'your reference of the order',
  ...CUSTOMER,
  mbshp_ids: 'the memberships that the order began or renewed',
  mbshp_id_xtl: 'your reference of the membership',
  'card.brand': 'the brand of the card',
  'card.last4': 'its last four digits',
  'card.pmt_id': 'its id',
  'card.pmt_id_xtl': 'your reference of the card',
}

/** The fields of each list with their meanings; a part of an object has a full stop in its name. */
export const LIST_FIELDS: Readonly<Record<ListName, Meanings>> = {
  orders: {
    po_id: 'the order',
    ...SITE,
    status: 'the outcome of the authorization or sale',
    kind: '`payment`, or `unreferenced_credit` for a refund without an order',
    created_at: 'when the order was made',
    ...NAMES,
    currency: 'the currency of all amounts',
    requested_amount: 'the requested amount',
    authorized: 'what the bank approved',
    captured: 'what was captured',
    voided: 'what was voided or has expired',
    refunded: 'what was refunded',
    remaining: 'what can still be captured or voided',
    expires_at: 'when the authorization expires; else null',
    released_at: 'when the rest of the authorization was released; else null',
  },
  transactions: {
    trans_id: 'the transaction',
    po_id: 'the order',
    ...SITE,
    action: 'the step of the order',
    status: 'the outcome',
    origin: '`API`, `PORTAL`, `REBILL` (a renewal) or `RESOLVER` (after a crash)',
    portal_user_id: 'the portal user whose operation it was; else null',
    req_id: 'REQ_ID of the request',
    created_at: 'when the transaction began',
    concluded_at: 'when its outcome was known; else null',
    ...NAMES,
    currency: 'the currency of all amounts',
    requested_amount: 'the requested amount',
    amount: 'the approved amount; 0 if nothing was approved',
    voided: 'what was voided of a capture',
    batch_id: 'the batch; else null',
    'codes.service': 'SERVICE_RESPONSE',
    'codes.processor': 'PROCESSOR_RESPONSE',
    'codes.industry': 'INDUSTRY_RESPONSE',
    'codes.response': 'the response code of the bank',
    avs: 'the AVS result',
    cvv: 'the CVV result',
    eci: 'the ECI of an authentication',
  },
  memberships: {
    mbshp_id: 'the membership',
    ...SITE,
    status: 'the state',
    created_at: 'when it began',
    ...CUSTOMER,
    mbshp_id_xtl: 'your reference of the membership',
    first_po_id: 'the order that began it',
    product: 'the product',
    next_product: 'the product from the next renewal on; else null',
    amount: 'the price of a period',
    currency: 'its currency',
    pmt_id: 'the card that is charged',
    next_charge: 'the next renewal or retry; else null',
    attempts: 'failed attempts of the renewal that is due',
    ends_at: 'when it ends as planned; else null',
    over_at: 'when it ended or was cancelled; else null',
  },
  customers: {
    cust_id: 'the customer',
    mode: '`test` or `live`',
    xtl_cust_id: 'your reference of the customer',
    created_at: 'when the customer was made',
    cards: 'the saved cards: `brand`, `last4`, `pmt_id`, `pmt_id_xtl`',
  },
  batches: {
    batch_id: 'the batch',
    ...ACCOUNT,
    status: 'the state',
    opened_at: 'when it was opened',
    closed_at: 'when it was closed; else null',
    agreed_at: 'when the bank answered; else null',
    sums: 'null until closed: `currency`, `action`, `brand`, `transactions`, `amount`, `voided`',
  },
  payouts: {
    payout_id: 'the payout',
    settlement_file_id: 'the settlement file that announced it',
    ...ACCOUNT,
    status: 'the state',
    booked_at: 'when the settlement file was booked',
    reference: "the acquirer's reference",
    trace: 'the reference on the bank statement',
    currency: 'the currency of all amounts',
    carried: 'what the payout before left',
    gross: 'sales and captures',
    refunds: 'refunds',
    chargebacks: 'chargebacks',
    fees: 'fees',
    reserve: 'held or released reserves',
    other: 'everything else',
    left: 'what stays for the next payout',
    amount: 'the sum that is paid out',
    value_date: 'the value date',
    arrives: 'the day on which it arrives; null if not announced',
  },
  disputes: {
    dispute_id: 'the dispute',
    case_id: "the acquirer's number of the case",
    ...ACCOUNT,
    status: 'the state',
    po_id: 'the disputed order; null if not found',
    xtl_order_id: 'your reference of the order',
    brand: 'the brand of the card',
    amount: 'the disputed amount',
    currency: 'its currency',
    reason: "the network's reason code",
    charged: 'whether the amount was charged back',
    respond_by: 'the last day for an answer; else null',
    opened_at: 'when the dispute was opened, as the acquirer states it',
    changed_at: 'when it changed last',
    ended_at: 'when it ended; else null',
  },
}

/** The text of a field, for a file: null is empty, ids have blanks between, objects are JSON. */
export function fieldText(object: ListObject, path: string): string {
  const [name = '', part] = path.split('.')
  const value = object[name]
  if (part !== undefined) {
    return isObject(value) ? fieldText(value, part) : ''
  }
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) {
    return value.every((each) => typeof each === 'string') ? value.join(' ') : JSON.stringify(value)
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function isObject(value: ListValue | undefined): value is ListObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
