import type { Answer, Fields } from './answer.ts'
import type { GroupName } from './groups.ts'

type Outcome = readonly [group: GroupName, outcome: string]

const CODES = {
  API_RESPONSE: 'api',
  SERVICE_RESPONSE: 'service',
  PROCESSOR_RESPONSE: 'processor',
  INDUSTRY_RESPONSE: 'industry',
  AVS_RESPONSE: 'avs',
  CVV_RESPONSE: 'cvv',
  P3DS_RESPONSE: 'threeDs',
  TRANS_STATUS_NAME: 'status',
  CARD_BRAND_NAME: 'brand',
} as const satisfies Readonly<Record<string, GroupName>>

/** Fields of a card's product, in the group of products under their names. */
export const PRODUCT_FIELDS = [
  'CARD_TYPE',
  'CARD_CLASS',
  'CARD_PREPAID',
  'CARD_BANK',
  'CARD_COUNTRY',
  'CARD_DETAIL',
  'TRANS_NTOKEN_USED',
] as const

/** The documented outcomes that an answer of the payment interface shows. */
export function readOutcomes({ fields, headers }: Answer): Outcome[] {
  const outcomes: Outcome[] = []
  for (const [field, group] of Object.entries(CODES)) {
    const value = fields[field]
    // A decline with an empty P3DS_RESPONSE says that no 3-D Secure was done, which is an outcome.
    if (value !== undefined && (value !== '' || group === 'threeDs')) outcomes.push([group, value])
  }
  outcomes.push(...ofCard(fields))
  const advice = headers.get('tollgate-advice-code')
  if (advice !== null) outcomes.push(['advice', advice])
  const retry = headers.get('tollgate-retry-after')
  if (retry !== null) outcomes.push(['retry', retry.endsWith('GMT') ? 'a date' : retry])
  return outcomes
}

function ofCard(fields: Fields): Outcome[] {
  const outcomes: Outcome[] = PRODUCT_FIELDS.flatMap((field): Outcome[] =>
    (fields[field] ?? '') === '' ? [] : [['product', `${field} ${fields[field]}`]],
  )
  const { CARD_BALANCE: balance = '', CARD_BRAND_NAME: brand, P3DS_ECI: eci = '' } = fields
  if (balance !== '') outcomes.push(['product', `CARD_BALANCE of ${fields['TRANS_STATUS_NAME']}`])
  if (eci !== '') outcomes.push(['eci', `${brand} ${eci}`])
  return outcomes
}
