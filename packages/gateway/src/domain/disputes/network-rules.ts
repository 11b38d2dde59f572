/**
 * Limits and reason codes of the card networks. Networks change them twice a year, so each row has
 * the day from which it holds. The acquirer's dates in notices win: these rows fill in a deadline
 * that a notice lacks, and explain a case to a person.
 *
 * Source: public tables of processors, compared in November 2026.
 */

export interface NetworkLimit {
  readonly brand: string
  /** The stage that the merchant's side answers. */
  readonly stage: 'inquiry' | 'chargeback' | 'pre_arbitration' | 'arbitration'
  /** Calendar days from the notice. */
  readonly days: number
  readonly from: string
  readonly to: string | null
}

const SINCE = '2019-01-01'

export const NETWORK_LIMITS: readonly NetworkLimit[] = [
  { brand: 'visa', stage: 'inquiry', days: 30, from: SINCE, to: null },
  { brand: 'visa', stage: 'chargeback', days: 30, from: SINCE, to: null },
  { brand: 'visa', stage: 'pre_arbitration', days: 30, from: SINCE, to: null },
  { brand: 'visa', stage: 'arbitration', days: 10, from: SINCE, to: null },
  { brand: 'mastercard', stage: 'inquiry', days: 45, from: SINCE, to: null },
  { brand: 'mastercard', stage: 'chargeback', days: 45, from: SINCE, to: null },
  { brand: 'mastercard', stage: 'pre_arbitration', days: 30, from: SINCE, to: null },
  { brand: 'mastercard', stage: 'arbitration', days: 45, from: SINCE, to: null },
]

export interface ReasonCode {
  readonly brand: string
  readonly code: string
  readonly name: string
  /** Evidence that usually wins, in a few words. */
  readonly evidence: string
  readonly isFraud: boolean
  readonly from: string
  readonly to: string | null
}

type Row = readonly [code: string, name: string, evidence: string, isFraud?: true]

const VISA: readonly Row[] = [
  ['10.1', 'Chip liability shift, counterfeit', 'proof that the chip was read', true],
  ['10.3', 'Other fraud, card present', 'chip and PIN', true],
  [
    '10.4',
    'Other fraud, card absent',
    '3-D Secure result, two earlier undisputed sales (Compelling Evidence 3.0), AVS and delivery',
    true,
  ],
  ['10.5', 'Fraud monitoring programme', 'a refund made before, or dates outside it', true],
  ['11.2', 'Declined authorization', 'a later approval of the same sale'],
  ['11.3', 'No authorization', 'the approval with its date and amount'],
  ['12.1', 'Late presentment', 'dates inside the limit'],
  ['12.2', 'Incorrect transaction code', 'proof that the direction was right'],
  ['12.5', 'Incorrect amount', 'the receipt with the agreed amount'],
  ['12.6.1', 'Duplicate processing', 'two orders with two receipts'],
  ['12.6.2', 'Paid by other means', 'proof that no other payment came'],
  ['13.1', 'Merchandise or services not received', 'tracking, usage log, date not yet due'],
  ['13.2', 'Cancelled recurring transaction', 'no cancellation, later use, accepted terms'],
  ['13.3', 'Not as described or defective', 'the description at the sale, no return'],
  ['13.5', 'Misrepresentation', 'the offer as shown, accepted terms'],
  ['13.6', 'Credit not processed', 'the refund with its date, or why none is due'],
  ['13.7', 'Cancelled merchandise or services', 'the policy that was accepted before the sale'],
]

const MASTERCARD: readonly Row[] = [
  ['4808', 'Authorization-related chargeback', 'the approval with its date and amount'],
  ['4834', 'Point-of-interaction error', 'two orders with two receipts, the agreed amount'],
  [
    '4837',
    'No cardholder authorization',
    '3-D Secure result, AVS and delivery, earlier undisputed sales',
    true,
  ],
  ['4849', 'Questionable merchant activity', 'a refund made before, or dates outside it', true],
  ['4853', 'Cardholder dispute', 'as for Visa 13.1 to 13.7'],
  ['4863', 'Cardholder does not recognize', 'descriptor and receipt', true],
  ['4870', 'Chip liability shift', 'proof that the chip was read', true],
  ['4871', 'Chip liability shift, lost or stolen', 'chip and PIN', true],
]

export const REASON_CODES: readonly ReasonCode[] = [
  ...VISA.map((row) => reasonCode('visa', row)),
  ...MASTERCARD.map((row) => reasonCode('mastercard', row)),
]

function reasonCode(brand: string, [code, name, evidence, isFraud]: Row): ReasonCode {
  return { brand, code, name, evidence, isFraud: isFraud === true, from: SINCE, to: null }
}

/** The row of a reason code on a day (ISO 8601 date); null for one that is not listed. */
export function findReason(brand: string, code: string | null, day: string): ReasonCode | null {
  return (
    REASON_CODES.find((row) => row.brand === brand && row.code === code && holds(row, day)) ?? null
  )
}

/** The network's limit of a stage that begins on a day, or null where none is listed. */
export function networkLimit(brand: string, stage: string, day: string): string | null {
  const row = NETWORK_LIMITS.find(
    (each) => each.brand === brand && each.stage === stage && holds(each, day),
  )
  if (row === undefined) return null
  const at = Date.parse(`${day}T00:00:00Z`) + row.days * 86_400_000
  return new Date(at).toISOString().slice(0, 10)
}

function holds(row: { readonly from: string; readonly to: string | null }, day: string): boolean {
  return row.from <= day && (row.to === null || day <= row.to)
}
