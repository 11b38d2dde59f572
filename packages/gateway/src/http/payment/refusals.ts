import type { AdjustmentRefusal } from '../../domain/payments/order.ts'
import { serviceAdvice } from '../../domain/payments/service-codes.ts'
import type { AccessRefusal } from '../../usecases/merchants/merchant-directory.ts'
import type { PaymentRefusal } from '../../usecases/payments/payment-command.ts'

/**
 * How a refusal is laid out. `validation`: the request never became a transaction, so the status is
 * empty. `adjustment`: the order was looked at and the answer is no, so the status is DECLINED.
 */
export type RefusalLayout = 'validation' | 'adjustment'

type InnerRefusal = AccessRefusal | PaymentRefusal | AdjustmentRefusal

export interface WireRefusal {
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

function api(code: number, advice: string, meaning: string, httpStatus = 200): WireRefusal {
  return { tier: 'api', code, advice, layout: 'validation', httpStatus, meaning }
}

function service(code: number, meaning: string, httpStatus = 200): WireRefusal {
  return { tier: 'service', code, advice: null, layout: 'validation', httpStatus, meaning }
}

function adjustment(code: number, meaning: string): WireRefusal {
  return { tier: 'service', code, advice: null, layout: 'adjustment', httpStatus: 200, meaning }
}

/** Every refusal of a card merchant besides a bank's decline, as docs/codes.md lists them. */
export const REFUSALS = {
  throttled: api(
    100,
    'Invalid login information (throttle)',
    'Too many failed logins from this address. Wait ten minutes.',
  ),
  credentials_wrong: api(101, 'Invalid login information', 'The user name or password is wrong.'),
  user_inactive: api(102, 'User not active', 'User or merchant is disabled, or the user was idle.'),
  site_unknown: api(103, 'Invalid site', "SITE_ID is not a site of this user's merchant."),
  unreferenced_credit_not_allowed: api(
    104,
    'Invalid service',
    'FORCE_CREDIT is not enabled for the merchant account.',
  ),
  three_ds_not_set_up: api(
    104,
    'Invalid service: 3-D Secure is not set up for the merchant account',
    'The account has no 3-D Secure data, or no Directory Server is set up. Pay without it.',
  ),
  action_unknown: api(105, 'Invalid service action', 'REQUEST_ACTION is unknown.'),
  parameter_missing: api(
    110,
    'Required field',
    'REF_FIELD names a required parameter that is missing.',
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
    'REF_FIELD names a value that is not a number, or an amount with too many decimals.',
  ),
  value_invalid: api(113, 'Invalid Data', 'REF_FIELD names an invalid value.'),
  card_not_found: api(
    113,
    'Invalid Data',
    'The customer has no saved card that matches the selector in REF_FIELD.',
  ),
  card_unreadable: api(
    113,
    'Invalid Data',
    'The saved card that REF_FIELD selects is unreadable, because its key was destroyed. Ask the customer for the card number again.',
  ),
  ddc_reference_unknown: api(
    113,
    'Invalid Data',
    'DDC_REFERENCEID is unknown to this merchant account, or has expired. Request a new one from 3dsrequest.cfm.',
  ),
  authentication_unknown: api(
    113,
    'Invalid Data',
    'P3DS_PROCTRANSID is not a challenge of this merchant account and user.',
  ),
  authentication_mismatch: api(
    113,
    'Invalid Data',
    'REF_FIELD names a value that differs from the request that began this authentication.',
  ),
  membership_reference_used: api(
    113,
    'Invalid Data',
    'TRANS_REBILL_TYPE begins a subscription, and another subscription has this MBSHP_ID_XTL.',
  ),
  membership_reference_unknown: api(
    113,
    'Invalid Data',
    'TRANS_REBILL_TYPE is REBILL, and no approved payment of the site has this MBSHP_ID_XTL.',
  ),
  renewal_without_receipt: api(
    113,
    'Invalid Data',
    'A renewal of MBSHP_ID_XTL after a trial has no receipt (category 5968, Mastercard).',
  ),
  parameter_repeated: api(
    113,
    'Invalid Data',
    'REF_FIELD names a parameter that was sent more than once.',
  ),
  value_undecodable: api(
    113,
    'Invalid Data',
    'REF_FIELD names a value with a broken percent escape or invalid bytes.',
  ),
  format_unknown: api(
    113,
    'Invalid Data',
    'REQUEST_RESPONSE_FORMAT is not XML, JSON or PIPES; answered in XML.',
  ),
  version_unknown: api(113, 'Invalid Data', 'REQUEST_API_VERSION is not 4.14.'),
  order_ambiguous: api(113, 'Invalid Data', 'REQUEST_REF_PO_ID_XTL names several orders.'),
  currency_mismatch: api(113, 'Invalid Data', 'REQUEST_CURRENCY is not the currency of the order.'),
  method_not_allowed: api(113, 'Invalid Data', 'Use POST; card data must not travel in URLs.', 405),
  type_unsupported: api(
    113,
    'Invalid Data',
    'The body is not form-encoded, or in a charset other than UTF-8 and ISO-8859-1.',
    415,
  ),
  request_malformed: api(
    113,
    'Invalid Data',
    'The request is incomplete or is not valid HTTP.',
    400,
  ),
  customer_not_found: api(115, 'Customer not found', 'CUST_ID is not a customer of this merchant.'),
  line_mismatch: api(
    119,
    'request_ref_po_id and request_po_li_id mismatch',
    'The line item is not part of the order.',
  ),
  system_error: api(
    120,
    'System Error',
    'An internal error. Quote REQ_ID to the operator; ask CCSTATUS for the outcome.',
  ),
  product_not_found: api(
    150,
    'Product Not Found',
    'The site has a strict catalogue without this product or definition.',
  ),
  product_type_unknown: api(152, 'Product Type Not Found', 'PROD_TYPE is neither 1 nor 2.'),
  currency_not_configured: api(
    155,
    'Selected currency not configured',
    'No merchant account of the site accepts this currency.',
  ),
  merchant_account_unknown: api(
    210,
    'Merchant Account not found',
    'At 3dsrequest.cfm: MERCH_ACCT_ID is not an account of the site or of the merchant, or the site has none.',
  ),
  currency_unknown: api(211, 'Currency not found', 'REQUEST_CURRENCY is not an ISO 4217 code.'),
  token_invalid: api(
    401,
    'Invalid TOKEN_GUID',
    'The token is unknown, used up or expired, or belongs to another site or mode.',
  ),
  product_misconfigured: service(
    190,
    'The price of the membership product is in another currency than the payment.',
  ),
  product_inactive: service(192, 'The product is inactive.'),
  rate_exceeded: service(
    215,
    'This user sends too many requests. Retry after the seconds in Retry-After.',
    429,
  ),
  merchant_account_not_found: service(
    500,
    'MERCH_ACCT_ID is not an account of the site, or the site has none.',
  ),
  rapid_resolution_off: service(157, 'The acquirer applies such rules, not the gateway.'),
  order_unknown: service(512, 'The site has no such order.'),
  duplicate_order: service(
    685,
    'An approved or running order has this XTL_ORDER_ID. In mode 2 its content differs.',
  ),
  idempotency_key_reused: service(685, 'Another request of the site has this idempotency key.'),
  login_taken: service(695, 'CUST_LOGIN belongs to another customer of the site.'),
  membership_exists: service(
    690,
    'The customer already has a membership of this product, or two lines sell the same product.',
  ),
  membership_product_invalid: service(
    692,
    'SUB_UPDATE_PROD_ID is not an active membership product, or its price is in another currency.',
  ),
  membership_over: service(697, 'The membership is cancelled or has ended.'),
  membership_not_found: service(698, 'The site has no such membership.'),
  membership_not_renewing: service(
    699,
    'The membership does not renew, so no renewal can be changed or cancelled.',
  ),
  order_not_found: adjustment(512, 'The merchant has no such order.'),
  order_not_adjustable: adjustment(
    580,
    'The order was never authorized, or has no capture to void.',
  ),
  card_removed: adjustment(
    580,
    'The saved card was removed and its number erased, so it cannot be refunded.',
  ),
  charged_back: adjustment(511, 'The order has been charged back.'),
  already_reversed: adjustment(510, 'The order was voided as a whole.'),
  amount_not_positive: adjustment(565, 'The amount is zero.'),
  amount_invalid: adjustment(565, 'The amount is more than can be voided.'),
  capture_exceeds: adjustment(
    506,
    'The captures would exceed the authorized amount. Capture at most the rest.',
  ),
  fully_captured: adjustment(507, 'The whole authorized amount is captured.'),
  adjusted_to_zero: adjustment(
    505,
    'Nothing is left: the order was voided, or the authorization has expired.',
  ),
  batch_closed: adjustment(525, 'The batch is closed. Refund the order instead.'),
  not_captured: adjustment(
    536,
    'Nothing is captured, so nothing can be refunded. Void the order instead.',
  ),
  refund_exceeds: adjustment(
    516,
    'The refunds would exceed the captured amount. Refund at most the rest.',
  ),
  fully_refunded: adjustment(515, 'The whole captured amount is refunded.'),
  unavailable: {
    tier: null,
    code: 503,
    advice: null,
    layout: 'validation',
    httpStatus: 503,
    meaning:
      'The gateway is starting, stopping, without its database, or overloaded with logins. Nothing was accepted: send the request again.',
  },
} as const satisfies Readonly<Record<InnerRefusal, WireRefusal> & Record<string, WireRefusal>>

export type RefusalName = keyof typeof REFUSALS

/** The text that goes with a refusal's code. */
export function adviceOf(refusal: WireRefusal): string {
  return refusal.advice ?? serviceAdvice(refusal.code)
}
