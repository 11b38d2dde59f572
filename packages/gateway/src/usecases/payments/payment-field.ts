/** The part of a request that a refusal is about; a merchant's program has another name for it. */
export type PaymentField =
  | 'action'
  | 'site'
  | 'merchant_account'
  | 'currency'
  | 'order_reference'
  | 'card_token'
  | 'security_code'
  | 'customer'
  | 'saved_card'
  | 'card_reference'
  | 'card_last_four'
  | 'membership_reference'
  | 'trial_consent'
  | 'browser_collection'
  | 'authentication_indicator'
  | 'challenge'
  | 'challenge_response'
  | 'idempotency_key'

/** The parameter that names a saved card, or its customer for the card of the last payment. */
export function fieldOf({ by }: { readonly by: keyof typeof FIELDS }): PaymentField {
  return FIELDS[by]
}

const FIELDS = {
  latest: 'customer',
  id: 'saved_card',
  reference: 'card_reference',
  last4: 'card_last_four',
} as const satisfies Record<string, PaymentField>
