import { decimalsOf } from '../issuer/currencies.ts'

/** A case that the bank opens for a capture by itself. */
export interface RaisedCase {
  readonly event: 'inquiry' | 'fraud_report' | 'chargeback' | 'rapid_resolution'
  /** The reason codes of Visa and of every other brand. */
  readonly reasons: { readonly visa: string; readonly other: string }
  /** The disputed part of the capture: 1 for all, 2 for half of it. */
  readonly divisor: 1n | 2n
  /** Of an inquiry: it becomes a chargeback so many days later. */
  readonly chargebackAfterDays?: number
}

/** One captured amount that is disputed. Its effect never changes. */
export interface DisputeAmount {
  /** As a merchant writes it. */
  readonly amount: string
  readonly meaning: string
  readonly raises: readonly RaisedCase[]
}

const FRAUD = { visa: '10.4', other: '4837' }
const NOT_RECEIVED = { visa: '13.1', other: '4853' }

/** The disputed amounts. Merchants have tests against these, so a row is never changed. */
export const DISPUTE_AMOUNTS: readonly DisputeAmount[] = [
  chargeback('9113.01', 'fraud without the card present', FRAUD),
  chargeback('9113.02', 'goods or services not received', NOT_RECEIVED),
  chargeback('9113.03', 'duplicate processing', { visa: '12.6.1', other: '4834' }),
  chargeback('9113.04', 'credit not processed', { visa: '13.6', other: '4853' }),
  chargeback('9113.05', 'cancelled recurring payment', { visa: '13.2', other: '4853' }),
  chargeback('9113.06', 'no authorization', { visa: '11.3', other: '4808' }),
  {
    amount: '9113.11',
    meaning: 'inquiry: goods or services not received; it ends without a chargeback',
    raises: [{ event: 'inquiry', reasons: NOT_RECEIVED, divisor: 1n }],
  },
  {
    amount: '9113.12',
    meaning: 'inquiry: goods or services not received; it becomes a chargeback after 3 days',
    raises: [{ event: 'inquiry', reasons: NOT_RECEIVED, divisor: 1n, chargebackAfterDays: 3 }],
  },
  {
    amount: '9113.21',
    meaning: 'fraud report without a chargeback',
    raises: [{ event: 'fraud_report', reasons: FRAUD, divisor: 1n }],
  },
  {
    amount: '9113.22',
    meaning: 'fraud report, and a chargeback with it',
    raises: [
      { event: 'fraud_report', reasons: FRAUD, divisor: 1n },
      { event: 'chargeback', reasons: FRAUD, divisor: 1n },
    ],
  },
  {
    amount: '9113.31',
    meaning: 'rapid resolution: the case is opened and lost at once',
    raises: [{ event: 'rapid_resolution', reasons: FRAUD, divisor: 1n }],
  },
  {
    amount: '9113.41',
    meaning: 'chargeback of half the amount: not as described',
    raises: [{ event: 'chargeback', reasons: { visa: '13.3', other: '4853' }, divisor: 2n }],
  },
]

const BY_AMOUNT: ReadonlyMap<string, DisputeAmount> = new Map(
  DISPUTE_AMOUNTS.map((row) => [row.amount, row]),
)

/** The row of an amount as the table has it, such as `9113.01`; null for any other text. */
export function disputeRow(amount: string): DisputeAmount | null {
  return BY_AMOUNT.get(amount) ?? null
}

/**
 * The row for a captured amount in minor units of an ISO 4217 numeric currency. Null for any other
 * amount, and in currencies without two decimals.
 */
export function findDisputeAmount(minor: bigint, currency: string): DisputeAmount | null {
  if (decimalsOf(currency) !== 2) return null
  const cents = (minor % 100n).toString().padStart(2, '0')
  return disputeRow(`${minor / 100n}.${cents}`)
}

function chargeback(amount: string, reason: string, reasons: RaisedCase['reasons']): DisputeAmount {
  const raises = [{ event: 'chargeback', reasons, divisor: 1n }] as const
  return { amount, meaning: `chargeback: ${reason}`, raises }
}
