/**
 * Every placeholder, with a value for previews. None holds more of a card than its brand and its
 * last four digits.
 */
export const PLACEHOLDERS = {
  merchant: 'Example Ltd',
  site: 'Example shop',
  date: '2026-11-27 16:05',
  first_name: 'Ada',
  last_name: 'Lovelace',
  amount: '12.50',
  currency: 'EUR',
  order: 'A-1001',
  order_id: '2000000001',
  card_brand: 'Visa',
  card_last4: '1111',
  membership: 'M-7',
  product: '1',
  next_attempt: '2026-11-30 09:00',
  dispute: '12',
  case: 'CB-2026-12',
  deadline: '2026-12-10',
  payout: '31',
  reference: 'PO-2026-31',
  difference: '5',
  code: 'missing_in_file',
  endpoint: '3',
  reason: 'failing',
} as const

export type PlaceholderName = keyof typeof PLACEHOLDERS

/** The values of one mail; a missing one is empty. */
export type MailValues = Readonly<Partial<Record<PlaceholderName, string>>>
