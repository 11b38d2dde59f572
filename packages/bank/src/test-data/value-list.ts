import { SPECIAL_POSTAL_CODES, SPECIAL_SECURITY_CODES } from '../issuer/verification.ts'
import { FAULT_CARDS, KNOWN_CARDS, OLD_CARDS } from '../three-ds/cards.ts'
import { CODES } from '../three-ds/challenge-store.ts'
import { FAULTS, HABITS } from '../three-ds/habits.ts'
import { cavvTrials, codeTrials, faultTrials, triggerTrials } from './amount-trials.ts'
import { AVS_VALUES } from './avs-values.ts'
import { cardTrials } from './card-trials.ts'
import { CODE_AMOUNTS } from './code-amounts.ts'
import { DISPUTE_AMOUNTS } from './dispute-amounts.ts'
import { FAULT_AMOUNTS } from './fault-amounts.ts'
import { PUBLIC_CARDS } from './public-cards.ts'
import { PUBLISHED_CAVVS } from './published-cavvs.ts'
import { TEST_CARDS } from './test-cards.ts'
import { approved, atOnce, elsewhere } from './trial.ts'
import type { TestValue, TrialPayment } from './trial.ts'
import { TRIGGER_AMOUNTS } from './trigger-amounts.ts'

const MEANINGS: Readonly<Record<string, string>> = { ...HABITS, ...FAULTS }
const US_CARD = '4012889000000012'
const AMEX_CARD = '378282900000017'
const HOME_STREET = '123 Main Street'

/**
 * Every test value with the payments that show it. The documents, the portal and the gateway's
 * `/sandbox/values` are printed from this list, and a test sends all of its payments.
 */
export const TEST_VALUES: readonly TestValue[] = [
  ...TRIGGER_AMOUNTS.map((row): TestValue => ({
    kind: 'amount',
    value: row.currency === '978' ? `${row.amount} EUR` : row.amount,
    meaning: row.meaning,
    trials: triggerTrials(row),
  })),
  {
    kind: 'amount',
    value: CODE_AMOUNTS.amount,
    meaning: CODE_AMOUNTS.meaning,
    trials: codeTrials(),
  },
  ...FAULT_AMOUNTS.map(({ amount, meaning }): TestValue => ({
    kind: 'fault',
    value: amount,
    meaning: plain(meaning),
    trials: faultTrials(amount),
  })),
  ...DISPUTE_AMOUNTS.map(({ amount, meaning }): TestValue => ({
    kind: 'dispute',
    value: amount,
    meaning: `approved; ${meaning}`,
    trials: [atOnce('', { amount }, approved())],
  })),
  ...TEST_CARDS.map((card): TestValue => ({
    kind: 'card',
    value: card.pan,
    meaning: card.meaning,
    trials: cardTrials(card),
    product: card.product,
  })),
  ...PUBLIC_CARDS.flatMap(([brand, pans]) =>
    pans.map((pan): TestValue => ({
      kind: 'public_card',
      value: pan,
      meaning: `${brand}: approves, and matches everything`,
      trials: [atOnce('', { pan }, approved({ cvv: 'M' }))],
    })),
  ),
  ...threeDsValues(),
  ...AVS_VALUES.map(({ letter, meaning, payment }): TestValue => ({
    kind: 'avs',
    value: letter,
    meaning,
    trials: [atOnce('', payment, approved({ avs: letter }))],
  })),
  ...[...SPECIAL_POSTAL_CODES].map(([value, avs]): TestValue => {
    const payment: TrialPayment = {
      pan: US_CARD,
      address: { street: HOME_STREET, postalCode: value },
    }
    const trials = [atOnce('', payment, approved({ avs }))]
    return { kind: 'postal_code', value, meaning: `AVS ${avs}`, trials }
  }),
  ...[...SPECIAL_SECURITY_CODES].map(([value, cvv]): TestValue => {
    const payment = { pan: value.length === 4 ? AMEX_CARD : US_CARD, securityCode: value }
    const trials = [atOnce('', payment, approved({ cvv }))]
    return { kind: 'security_code', value, meaning: `CVV ${cvv}`, trials }
  }),
  ...PUBLISHED_CAVVS.map((row): TestValue => ({
    kind: 'cavv',
    value: row.cavv,
    meaning: row.meaning,
    trials: cavvTrials(row),
  })),
  ...Object.entries(CODES).map(([value, result]): TestValue => ({
    kind: 'challenge_code',
    value,
    meaning: `the challenge ends with ${result}`,
    trials: [elsewhere('', 'browser')],
  })),
]

function threeDsValues(): readonly TestValue[] {
  const inBrowser = [elsewhere('', 'browser')]
  return [
    ...[...KNOWN_CARDS, ...FAULT_CARDS].map(({ habit, pan }): TestValue => ({
      kind: 'three_ds',
      value: pan,
      meaning: plain(MEANINGS[habit] ?? habit),
      trials: inBrowser,
    })),
    ...OLD_CARDS.map(({ habit, pan }): TestValue => ({
      kind: 'three_ds',
      value: pan,
      meaning: `speaks 2.1.0 only: ${plain(MEANINGS[habit] ?? habit)}`,
      trials: inBrowser,
    })),
  ]
}

/** Without the marks of a document. */
function plain(text: string): string {
  return text.replaceAll('`', '')
}
