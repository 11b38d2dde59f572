import type { WhyFacts, WhyKey } from './why-facts.ts'

const PAYMENT: readonly WhyKey[] = [
  'form',
  'login',
  'action',
  'parameters',
  'references',
  'duplicate',
  'subscription',
  'card',
  'browser_data',
  'card_testing',
  'limits',
  'issuer',
  'bank',
  'partial',
  'address',
  'security_code',
  'result',
]
const ADJUSTMENT: readonly WhyKey[] = [
  'form',
  'login',
  'action',
  'parameters',
  'order_state',
  'result',
]
/** The portal compares the sums that the user saw, the refund limit and the order, all at once. */
const OPERATION: readonly WhyKey[] = ['action', 'parameters', 'operation', 'result']
const OTHER: readonly WhyKey[] = [
  'form',
  'login',
  'action',
  'parameters',
  'references',
  'subscription',
  'result',
]
/** The gateway charges by itself: there is no caller to authenticate. */
const RENEWAL: readonly WhyKey[] = PAYMENT.slice(PAYMENT.indexOf('subscription'))

/** The step of each refusal; unlisted ones are about the values of parameters. */
export const REFUSED_AT: Readonly<Record<string, WhyKey>> = {
  throttled: 'login',
  credentials_wrong: 'login',
  user_inactive: 'login',
  site_unknown: 'login',
  rate_exceeded: 'login',
  parameter_missing: 'parameters',
  body_too_large: 'form',
  parameter_repeated: 'form',
  value_undecodable: 'form',
  format_unknown: 'form',
  method_not_allowed: 'form',
  type_unsupported: 'form',
  request_malformed: 'form',
  unavailable: 'form',
  action_unknown: 'action',
  version_unknown: 'action',
  value_length_invalid: 'parameters',
  value_not_numeric: 'parameters',
  value_invalid: 'parameters',
  unreferenced_credit_not_allowed: 'references',
  three_ds_not_set_up: 'references',
  card_not_found: 'references',
  card_unreadable: 'references',
  ddc_reference_unknown: 'references',
  authentication_unknown: 'references',
  authentication_mismatch: 'references',
  currency_mismatch: 'references',
  customer_not_found: 'references',
  line_mismatch: 'references',
  product_not_found: 'references',
  product_type_unknown: 'references',
  currency_not_configured: 'references',
  merchant_account_unknown: 'references',
  currency_unknown: 'references',
  token_invalid: 'references',
  product_misconfigured: 'references',
  product_inactive: 'references',
  merchant_account_not_found: 'references',
  rapid_resolution_off: 'references',
  order_unknown: 'references',
  order_ambiguous: 'references',
  duplicate_order: 'duplicate',
  idempotency_key_reused: 'duplicate',
  login_taken: 'references',
  membership_reference_used: 'subscription',
  membership_reference_unknown: 'subscription',
  renewal_without_receipt: 'subscription',
  membership_exists: 'subscription',
  membership_product_invalid: 'subscription',
  membership_over: 'subscription',
  membership_not_found: 'subscription',
  membership_not_renewing: 'subscription',
  order_not_found: 'order_state',
  order_not_adjustable: 'order_state',
  card_removed: 'order_state',
  charged_back: 'order_state',
  already_reversed: 'order_state',
  amount_not_positive: 'order_state',
  amount_invalid: 'order_state',
  capture_exceeds: 'order_state',
  fully_captured: 'order_state',
  adjusted_to_zero: 'order_state',
  batch_closed: 'order_state',
  not_captured: 'order_state',
  refund_exceeds: 'order_state',
  fully_refunded: 'order_state',
  system_error: 'result',
}

/** DE 39 of an approval, including partial ones. */
const APPROVALS: ReadonlySet<string> = new Set(['00', '08', '10', '11', '85'])
const ADJUSTMENT_ACTIONS: ReadonlySet<string> = new Set([
  'CCCAPTURE',
  'CCCREDIT',
  'CCREVERSE',
  'CCREVERSECAP',
])
const PAYMENT_ACTIONS: ReadonlySet<string> = new Set(['CCAUTHORIZE', 'CCAUTHCAP'])

/** The steps of this kind of request, in their sequence. */
export function stepsOf({ request, transaction }: WhyFacts): readonly WhyKey[] {
  if (transaction !== null) {
    const pays =
      transaction.kind === 'authorization' ||
      transaction.kind === 'sale' ||
      transaction.isUnreferencedCredit
    if (!pays) return ADJUSTMENT
    return request === null ? RENEWAL : PAYMENT
  }
  if (request === null) return ['result']
  if (request.refusal?.name === 'operation_refused') return OPERATION
  const { action, parameters } = request
  if (PAYMENT_ACTIONS.has(action) || (action === 'CCCREDIT' && parameters['FORCE_CREDIT'] === '1'))
    return PAYMENT
  return ADJUSTMENT_ACTIONS.has(action) ? ADJUSTMENT : OTHER
}

/** Which step made the answer what it was. */
export function decidedBy(facts: WhyFacts): WhyKey {
  const steps = stepsOf(facts)
  const key = likelyDecidedBy(facts)
  if (steps.includes(key)) return key
  // Of orders, what they name and what state they are in is looked at as one.
  if (key === 'references' && steps.includes('order_state')) return 'order_state'
  return steps.includes('parameters') && key !== 'result' ? 'parameters' : 'result'
}

function likelyDecidedBy({ request, site, transaction, cardTesting, threeDs }: WhyFacts): WhyKey {
  if (transaction === null) {
    const { refusal = null } = request ?? {}
    if (refusal?.name === 'operation_refused') return 'operation'
    return refusal === null ? 'result' : (REFUSED_AT[refusal.name] ?? 'parameters')
  }
  const { state, serviceCode, responseCode } = transaction
  if (state === 'approved') return 'result'
  const bankAnswered = responseCode !== ''
  if (state === 'pending' || state === 'running')
    return threeDs !== null && threeDs.state !== 'consumed' ? 'issuer' : 'bank'
  if (APPROVALS.has(responseCode)) {
    if (serviceCode === 660) return 'partial'
    if (serviceCode === 623) return 'address'
    if (serviceCode === 621) return 'security_code'
    return 'bank'
  }
  if (bankAnswered) return 'bank'
  if (cardTesting?.refused === true) return 'card_testing'
  if ((serviceCode >= 200 && serviceCode <= 213) || serviceCode === 522 || serviceCode === 540)
    return 'limits'
  if (serviceCode === 215 || serviceCode === 601)
    return site?.cardTestingMode === 'enforce' ? 'card_testing' : 'limits'
  if (serviceCode === 675 || serviceCode === 624 || serviceCode === 565) return 'card'
  if (serviceCode === 697) return 'subscription'
  if (threeDs !== null && threeDs.state !== 'consumed') return 'issuer'
  if (threeDs === null && serviceCode === 670) return 'browser_data'
  if (threeDs !== null && (serviceCode === 600 || serviceCode === 670)) return 'issuer'
  return 'bank'
}
