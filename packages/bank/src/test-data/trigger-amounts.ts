import { decimalsOf } from '../issuer/currencies.ts'

/** A code with its text, as a processor or an issuer reports it. */
export interface ReportedCode {
  readonly code: string
  readonly text?: string
}

/** The fixed result of one amount, for every card. */
export interface TriggerAmount {
  /** Major units with two decimals, as a merchant writes it. */
  readonly amount: string
  /** ISO 4217 numeric code when the row holds in one currency only. */
  readonly currency?: string
  readonly meaning: string
  /** DE 39 of the answer. With `00` and `10` the transaction is approved. */
  readonly responseCode: string
  readonly processor?: ReportedCode
  readonly issuer?: ReportedCode
  /** The AVS or CVV result of the answer, when the row sets it. */
  readonly avs?: string
  readonly cvv?: string
  /** Approves this much, in minor units, where the merchant accepts a partial approval. */
  readonly partialMinor?: bigint
  /** Conversion to a settlement currency: millionths of it for one unit of the transaction's. */
  readonly conversion?: { readonly currency: string; readonly rateMillionths: bigint }
}

const REVOKED = 'Revocation of All Authorizations'

/**
 * The trigger amounts. Merchants have tests against these, so a row is never changed or removed. A
 * new row is a change for every user of that amount.
 */
export const TRIGGER_AMOUNTS: readonly TriggerAmount[] = [
  decline('5.01', 'try again later', '19', { code: '501', text: 'Retry' }),
  decline('5.02', 'expired card', '54', { code: '502', text: 'Expired Card' }),
  decline('5.03', 'the processor refuses the security code', 'N7', {
    code: '503',
    text: 'Failed CVV',
  }),
  decline('5.04', 'the processor refuses the address', '6P', { code: '504', text: 'Failed AVS' }),
  decline('5.05', 'the bank declines', '05', { code: '505', text: 'Declined' }),
  decline('5.06', 'suspected fraud', '59', { code: '506', text: 'Fraud' }),
  decline('5.07', 'over the limit', '61', { code: '507', text: 'Overlimit' }),
  { amount: '5.08', meaning: 'approved, the address does not match', responseCode: '00', avs: 'N' },
  decline('5.18', 'the processor misses a field', '30', {
    code: '518',
    text: 'Missing Required Field',
  }),
  decline('5.30', 'the processor cannot be reached', '91', {
    code: '530',
    text: 'Downstream Processor Unavail',
  }),
  decline('6.00', 'general decline', '05', { code: '600', text: 'General Decline' }),
  decline('6.05', 'stolen card', '43', { code: '605', text: 'Stolen Card' }),
  decline('6.10', 'pick up the card', '04', { code: '610', text: 'Pickup Card' }),
  decline('6.20', 'invalid security code', 'N7', { code: '620', text: 'Invalid CVV' }),
  decline('6.24', 'expired card', '54', { code: '624', text: 'Expired Card' }),
  decline('6.35', 'insufficient funds', '51', { code: '635', text: 'Insufficient Funds' }),
  {
    amount: '6.60',
    meaning:
      'approved for 5.50 where a partial approval is accepted and the smallest accepted amount ' +
      'is not above 5.50; otherwise declined',
    responseCode: '51',
    processor: { code: '660', text: 'ApprvLesserAmt' },
    partialMinor: 550n,
  },
  {
    amount: '7.00',
    currency: '978',
    meaning: 'approved, settled in US dollars at the rate 0.812345',
    responseCode: '00',
    conversion: { currency: '840', rateMillionths: 812_345n },
  },
  {
    amount: '7.25',
    meaning: 'approved, the security code does not match',
    responseCode: '00',
    cvv: 'N',
  },
  {
    amount: '8.81',
    meaning: 'the issuer revokes the recurring payment (R1)',
    responseCode: 'R1',
    processor: { code: '881' },
    issuer: { code: 'R1', text: REVOKED },
  },
  {
    amount: '8.83',
    meaning: 'the issuer revokes all recurring payments (R3)',
    responseCode: 'R3',
    processor: { code: '883' },
    issuer: { code: 'R3', text: REVOKED },
  },
  decline('9.91', 'the processor revokes the recurring payment (R1)', 'R1', {
    code: 'R1',
    text: REVOKED,
  }),
  decline('9.93', 'the processor revokes all recurring payments (R3)', 'R3', {
    code: 'R3',
    text: REVOKED,
  }),
]

const BY_MINOR: ReadonlyMap<bigint, TriggerAmount> = new Map(
  TRIGGER_AMOUNTS.map((row) => [BigInt(row.amount.replace('.', '')), row]),
)

/**
 * The row for a whole transaction amount, in minor units of an ISO 4217 numeric currency. Only
 * currencies with two decimals have trigger amounts: 501 yen are not 5.01 of anything.
 */
export function findTrigger(amount: bigint, currency: string): TriggerAmount | null {
  const row = BY_MINOR.get(amount)
  if (row === undefined || decimalsOf(currency) !== 2) return null
  if (row.currency !== undefined && row.currency !== currency) return null
  return row
}

function decline(
  amount: string,
  meaning: string,
  responseCode: string,
  processor: ReportedCode,
): TriggerAmount {
  return { amount, meaning: `declined: ${meaning}`, responseCode, processor }
}
