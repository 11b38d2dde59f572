import type { SampleCaseMove, SampleCaseOpening } from './sample-bank.ts'
import { SAMPLE_SITES } from './sample-merchant.ts'

/** One step of a case, so many days before now. */
export type SampleStep = { readonly days: number } &
  /** Without a reason it is the brand's code of fraud. */
  (
    | { readonly kind: 'opened'; readonly event: SampleCaseOpening; readonly reason: string | null }
    /** The inquiry becomes a chargeback. */
    | { readonly kind: 'charged' }
    | { readonly kind: 'contested'; readonly text: string; readonly file: string }
    | { readonly kind: 'accepted' }
    /** The issuer or the network decides. */
    | { readonly kind: 'moved'; readonly to: SampleCaseMove }
  )

/** A case with its steps in the sequence of their days. */
export interface SampleCase {
  /** As cases have it; null for any brand. */
  readonly brand: 'visa' | 'mastercard' | null
  readonly steps: readonly [SampleStep, ...SampleStep[]]
}

/** The days before now on which the merchant answers. Decisions wait until answers are sent. */
const ANSWERED = 48

const DELIVERED = {
  kind: 'contested',
  text: 'The parcel was delivered to the billing address, and the customer signed for it.',
  file: 'proof-of-delivery.txt',
} as const

/** By the words of the answer the bank decides on its next day, as docs/dispute-notices.md says. */
const WINNING = { ...DELIVERED, text: `${DELIVERED.text} (winning_evidence)` }
const ESCALATING = { ...DELIVERED, text: `${DELIVERED.text} (escalate_evidence)` }

type Row = readonly [brand: SampleCase['brand'], ...steps: SampleCase['steps']]

/**
 * The cases of an account. Together they are in every state, and the answers to open ones are due
 * soon, this week and later.
 */
export function casesOf(account: number): readonly SampleCase[] {
  const site = SAMPLE_SITES.findIndex((each) => each.account === account)
  return (ROWS[site] ?? []).map(([brand, ...steps]) => ({ brand, steps }))
}

const DECIDED: readonly Row[] = [
  ['visa', opened(160, 'chargeback', '10.4'), moved(128, 'lost')],
  ['visa', opened(141, 'inquiry', '13.1'), moved(127, 'withdrawn')],
  ['mastercard', opened(118, 'fraud_report', '4837')],
  ['visa', opened(84, 'rapid_resolution', '10.4')],
]

const ANSWERS: readonly Row[] = [
  [
    'mastercard',
    opened(74, 'chargeback', '4853'),
    { days: ANSWERED, ...WINNING },
    moved(15, 'won'),
  ],
  [
    'visa',
    opened(66, 'chargeback', '13.1'),
    { days: ANSWERED, ...ESCALATING },
    moved(13, 'pre_arbitration'),
  ],
  ['visa', opened(61, 'chargeback', '13.7'), { days: ANSWERED, kind: 'accepted' }],
  ['visa', opened(58, 'chargeback', '10.4'), { days: ANSWERED, ...WINNING }],
]

const WAITING: readonly Row[] = [
  ['visa', opened(36, 'inquiry', '13.3'), { days: 21, kind: 'charged' }],
  ['visa', opened(18, 'chargeback', '10.4')],
  ['mastercard', opened(11, 'chargeback', '4853')],
  ['visa', opened(5, 'inquiry', '13.1')],
]

/** By the site's place among the sample's sites. */
const ROWS: readonly (readonly Row[])[] = [
  [...DECIDED, ...ANSWERS, ...WAITING],
  [
    ['visa', opened(92, 'chargeback', '13.3'), moved(61, 'lost')],
    [null, opened(27, 'fraud_report')],
    ['visa', opened(8, 'chargeback', '13.1')],
  ],
  [
    [null, opened(101, 'chargeback'), moved(90, 'withdrawn')],
    [null, opened(33, 'fraud_report')],
  ],
]

function opened(days: number, event: SampleCaseOpening, reason: string | null = null) {
  return { days, kind: 'opened', event, reason } as const
}

function moved(days: number, to: SampleCaseMove) {
  return { days, kind: 'moved', to } as const
}
