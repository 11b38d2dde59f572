import type { PaymentField } from '../../usecases/payments/payment-field.ts'
import type { ParameterName } from './parameters.ts'

const NAMES: Readonly<Record<PaymentField, ParameterName>> = {
  action: 'REQUEST_ACTION',
  site: 'SITE_ID',
  merchant_account: 'MERCH_ACCT_ID',
  currency: 'REQUEST_CURRENCY',
  order_reference: 'XTL_ORDER_ID',
  card_token: 'TOKEN_GUID',
  security_code: 'PMT_KEY',
  customer: 'CUST_ID',
  saved_card: 'PMT_ID',
  card_reference: 'PMT_ID_XTL',
  card_last_four: 'PMT_L4',
  membership_reference: 'MBSHP_ID_XTL',
  trial_consent: 'TRANS_TRIAL_REBILL_CUSTOMER_CONSENT',
  browser_collection: 'DDC_REFERENCEID',
  authentication_indicator: 'P3DS_ECI',
  challenge: 'P3DS_PROCTRANSID',
  challenge_response: 'REQUEST_PARES',
  idempotency_key: 'IDEMPOTENCY_KEY',
}

/** The parameter that a refusal of a use case blames, '' where it blames none. */
export function nameOfField(field: PaymentField | null): string {
  return field === null ? '' : NAMES[field]
}
