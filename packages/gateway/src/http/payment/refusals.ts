import type { AdjustmentRefusal } from '../../domain/payments/order.ts'
import { serviceAdvice } from '../../domain/payments/service-codes.ts'
import type { AccessRefusal } from '../../usecases/merchants/merchant-directory.ts'
import type { PaymentRefusal } from '../../usecases/payments/payment-command.ts'

/**
 * How a refusal is laid out. `validation`: the request never became a transaction, so the status is
 * empty. `adjustment`: the order was looked at and the answer is no, so the status is DECLINED.
 */
export type RefusalLayout = 'validation' | 'adjustment'

export interface Refusal {
  /** Which tier carries the code; null: the service is not there to answer. */
  readonly tier: 'api' | 'service' | null
  readonly code: number
  /** Null: the text that goes with the service code everywhere. */
  readonly advice: string | null
  readonly layout: RefusalLayout
  readonly httpStatus: number
  /** When it happens and what to do, for docs/codes.md. */
  readonly meaning: string
}

function api(code: number, advice: string, meaning: string, httpStatus = 200): Refusal {
  return { tier: 'api', code, advice, layout: 'validation', httpStatus, meaning }
}

function service(code: number, meaning: string, httpStatus = 200): Refusal {
  return { tier: 'service', code, advice: null, layout: 'validation', httpStatus, meaning }
}

function adjustment(code: number, meaning: string): Refusal {
  return { tier: 'service', code, advice: null, layout: 'adjustment', httpStatus: 200, meaning }
}

/**
 * Every refusal that a card merchant can get, other than a bank's decline. docs/codes.md lists the
 * same names with the same codes, and a test holds the two together.
 */
export const REFUSALS = {
  throttled: api(
    100,
    'Invalid login information (throttle)',
    'Too many failed logins from this address. Wait ten minutes.',
  ),
  credentials_wrong: api(
    101,
    'Invalid login information',
    'The user name or the password is wrong.',
  ),
  user_inactive: api(
    102,
    'User not active',
    'The user was disabled, or was not used for too long.',
  ),
  site_unknown: api(103, 'Invalid site', "SITE_ID is no site of this user's merchant."),
  unreferenced_credit_not_allowed: api(
    104,
    'Invalid service',
    'FORCE_CREDIT is not enabled for the merchant account.',
  ),
  three_ds_not_set_up: api(
    104,
    'Invalid service: 3-D Secure is not set up for the merchant account',
    'The merchant account takes no part in 3-D Secure, or no Directory Server is set up. Pay without it.',
  ),
  action_unknown: api(
    105,
    'Invalid service action',
    'REQUEST_ACTION is none that this gateway takes.',
  ),
  parameter_missing: api(
    110,
    'Required field',
    'REF_FIELD names a parameter that is required and was not sent.',
  ),
  value_length_invalid: api(
    111,
    'Invalid length',
    'REF_FIELD names a value that is too short or too long.',
  ),
  body_too_large: api(
    111,
    'Invalid length',
    'The body is above 64 KiB or has more than 1,000 pairs.',
    413,
  ),
  value_not_numeric: api(
    112,
    'Not numeric',
    'REF_FIELD names a value that is no number, or an amount with too many decimals.',
  ),
  value_invalid: api(113, 'Invalid Data', 'REF_FIELD names a value that is not acceptable.'),
  card_not_found: api(
    113,
    'Invalid Data',
    'No saved card of the customer fits the selector in REF_FIELD.',
  ),
  card_unreadable: api(
    113,
    'Invalid Data',
    'The saved card that REF_FIELD selects can not be read any more: its key was destroyed. Ask for the number again.',
  ),
  ddc_reference_unknown: api(
    113,
    'Invalid Data',
    'DDC_REFERENCEID is no reference of this merchant account, or is too old. Ask 3dsrequest.cfm for a new one.',
  ),
  authentication_unknown: api(
    113,
    'Invalid Data',
    'P3DS_PROCTRANSID is no challenge of this merchant account and user.',
  ),
  authentication_mismatch: api(
    113,
    'Invalid Data',
    'REF_FIELD names what is not as it was in the request that P3DS_PROCTRANSID belongs to.',
  ),
  membership_reference_used: api(
    113,
    'Invalid Data',
    'TRANS_REBILL_TYPE begins a subscription, and MBSHP_ID_XTL is that of another one.',
  ),
  membership_reference_unknown: api(
    113,
    'Invalid Data',
    'TRANS_REBILL_TYPE is REBILL, and MBSHP_ID_XTL is that of no approved payment of the site.',
  ),
  renewal_without_receipt: api(
    113,
    'Invalid Data',
    'An earlier renewal of MBSHP_ID_XTL has no receipt. Send it with CCTRANSUPDATE.',
  ),
  parameter_repeated: api(
    113,
    'Invalid Data',
    'REF_FIELD names a parameter that was sent more than once.',
  ),
  value_undecodable: api(
    113,
    'Invalid Data',
    'REF_FIELD names a value with a broken percent escape, or bytes that are no text.',
  ),
  format_unknown: api(
    113,
    'Invalid Data',
    'REQUEST_RESPONSE_FORMAT is not XML, JSON or PIPES; answered in XML.',
  ),
  version_unknown: api(113, 'Invalid Data', 'REQUEST_API_VERSION is not 4.14.'),
  currency_mismatch: api(113, 'Invalid Data', 'REQUEST_CURRENCY is not the currency of the order.'),
  method_not_allowed: api(
    113,
    'Invalid Data',
    'Only POST is answered; card data must not travel in addresses.',
    405,
  ),
  type_unsupported: api(
    113,
    'Invalid Data',
    'The body is not form-encoded, or in a charset other than UTF-8 and ISO-8859-1.',
    415,
  ),
  request_malformed: api(113, 'Invalid Data', 'The request could not be read to its end.', 400),
  customer_not_found: api(115, 'Customer not found', 'CUST_ID is no customer of this merchant.'),
  line_mismatch: api(
    119,
    'request_ref_po_id and request_po_li_id mismatch',
    'The line item is not part of the order.',
  ),
  system_error: api(
    120,
    'System Error',
    'A fault of the gateway. Quote REQ_ID; ask CCSTATUS what became of the order.',
  ),
  product_not_found: api(
    150,
    'Product Not Found',
    'The site has a closed catalogue and no such product, or none of the definition that was sent.',
  ),
  product_type_unknown: api(152, 'Product Type Not Found', 'PROD_TYPE is neither 1 nor 2.'),
  currency_not_configured: api(
    155,
    'Selected currency not configured',
    'No merchant account of the site takes this currency.',
  ),
  merchant_account_unknown: api(
    210,
    'Merchant Account not found',
    'At 3dsrequest.cfm: MERCH_ACCT_ID is no account of the site or of the merchant, or the site has none.',
  ),
  currency_unknown: api(211, 'Currency not found', 'REQUEST_CURRENCY is no currency.'),
  token_invalid: api(
    401,
    'Invalid TOKEN_GUID',
    'The token is unknown, used up or expired, or belongs to another site or mode.',
  ),
  product_misconfigured: service(
    190,
    'The product of a membership has its price in another currency than the payment.',
  ),
  product_inactive: service(192, 'The product has been switched off.'),
  rate_exceeded: service(
    215,
    'Too many requests of this user. Retry after the seconds in Retry-After.',
    429,
  ),
  merchant_account_not_found: service(
    500,
    'MERCH_ACCT_ID is no account of the site, or the site has none.',
  ),
  order_unknown: service(512, 'The site has no such order to show or to update.'),
  duplicate_order: service(
    685,
    'An order with this XTL_ORDER_ID exists already, or was sent with other content.',
  ),
  login_taken: service(695, 'CUST_LOGIN belongs to another customer of the site.'),
  membership_exists: service(
    690,
    'The customer has a membership of the product, or two lines sell one of the same product.',
  ),
  membership_product_invalid: service(
    692,
    'SUB_UPDATE_PROD_ID is no active product of a membership, or its price is in another currency.',
  ),
  membership_over: service(697, 'The membership is cancelled or has ended.'),
  membership_not_found: service(698, 'The site has no such membership.'),
  membership_not_renewing: service(
    699,
    'The membership does not renew, so there is no renewal to change or to cancel it at.',
  ),
  order_not_found: adjustment(512, 'The merchant has no such order.'),
  order_not_adjustable: adjustment(
    580,
    'The order was never authorized, or has no capture to take back.',
  ),
  card_removed: adjustment(
    580,
    'The card was taken away and its number erased, so nothing can be sent back to it.',
  ),
  charged_back: adjustment(511, 'The order has been charged back.'),
  already_reversed: adjustment(510, 'The order was taken back as a whole.'),
  amount_not_positive: adjustment(565, 'The amount is zero.'),
  amount_invalid: adjustment(565, 'The amount is more than there is to take back.'),
  capture_exceeds: adjustment(
    506,
    'The captures would exceed what was authorized. Capture at most what is left.',
  ),
  fully_captured: adjustment(507, 'All that was authorized is captured.'),
  adjusted_to_zero: adjustment(
    505,
    'Nothing is left: it was taken back, or the authorization is too old.',
  ),
  batch_closed: adjustment(525, 'The batch is closed, so it can only be credited.'),
  not_captured: adjustment(
    536,
    'Nothing is captured, so nothing can be credited. Reverse the order.',
  ),
  credit_exceeds: adjustment(
    516,
    'The credits would exceed what was captured. Credit at most what is left.',
  ),
  fully_credited: adjustment(515, 'All that was captured is credited.'),
  unavailable: {
    tier: null,
    code: 503,
    advice: null,
    layout: 'validation',
    httpStatus: 503,
    meaning:
      'The gateway is starting, stopping, without its database, or has too many logins to verify. Nothing was accepted: send again.',
  },
} as const satisfies Readonly<
  Record<AccessRefusal | PaymentRefusal | AdjustmentRefusal, Refusal> & Record<string, Refusal>
>

export type RefusalName = keyof typeof REFUSALS

/** The text that goes with a refusal's code. */
export function adviceOf(refusal: Refusal): string {
  return refusal.advice ?? serviceAdvice(refusal.code)
}
