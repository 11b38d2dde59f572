import { CODE_AMOUNTS, findForcedAnswer } from './code-amounts.ts'
import type { PublishedCavv } from './published-cavvs.ts'
import { approved, atOnce, declined, FAILED } from './trial.ts'
import type { Trial, TrialAnswer, TrialRuns } from './trial.ts'
import type { TriggerAmount } from './trigger-amounts.ts'

/** The payments that show a trigger amount. A row with an AVS result is shown with an address. */
export function triggerTrials(row: TriggerAmount): readonly Trial[] {
  const { amount, avs, currency, cvv, issuer, partialMinor, processor, responseCode } = row
  const payment = {
    amount,
    ...(currency === '978' ? { currency: 'EUR' } : {}),
    ...(avs === undefined ? {} : { address: { street: '123 Main Street', postalCode: '12345' } }),
  }
  const answer = {
    ...(avs === undefined ? {} : { avs }),
    ...(cvv === undefined ? {} : { cvv }),
    ...(processor === undefined ? {} : { processor }),
    ...(issuer === undefined ? {} : { issuer }),
  }
  const first =
    responseCode === '00'
      ? atOnce('', payment, approved(answer))
      : atOnce('', payment, declined(responseCode, answer))
  if (partialMinor === undefined) return [first]
  const part = `${partialMinor / 100n}.${String(partialMinor % 100n).padStart(2, '0')}`
  return [
    first,
    atOnce(
      'a partial approval is accepted',
      { ...payment, acceptsPartial: true },
      approved({ responseCode: '10', approved: part }),
    ),
  ]
}

/** USD, whose two decimals the code amounts need. */
const DOLLARS = '840'
/** DE 39 of a bank that does not know the outcome itself. */
const UNKNOWN = '68'

/** One payment for each code. */
export function codeTrials(): readonly Trial[] {
  return Array.from({ length: 99 }, (_, at) => {
    const amount = CODE_AMOUNTS.amount.replace('nn', String(at + 1).padStart(2, '0'))
    return atOnce(amount, { amount }, codeAnswer(BigInt(amount.replace('.', ''))))
  })
}

function codeAnswer(minor: bigint): TrialAnswer {
  const forced = findForcedAnswer(minor, DOLLARS)
  if (forced === null || forced.responseCode === UNKNOWN) return FAILED
  const { approved: held, responseCode } = forced
  return held === minor ? approved({ responseCode }) : declined(responseCode)
}

/** Cents that show each of the results of a fault amount. */
const FAULT_TRIALS: Readonly<
  Record<string, readonly (readonly [string, TrialRuns, TrialAnswer])[]>
> = {
  '9100.nn': [['00', 'at_once', approved()]],
  '9101.nn': [
    ['00', 'timeout', FAILED],
    ['01', 'timeout', FAILED],
  ],
  '9102.nn': [['01', 'timeout', FAILED]],
  '9103.nn': [['00', 'at_once', approved()]],
  '9104.nn': [['00', 'disturbing', FAILED]],
  '9105.nn': [['00', 'disturbing', FAILED]],
  '9106.nn': [['00', 'disturbing', FAILED]],
  '9107.nn': [
    ['00', 'timeout', FAILED],
    ['01', 'timeout', FAILED],
    ['02', 'disturbing', FAILED],
  ],
  '9108.nn': [['01', 'timeout', FAILED]],
  '9109.nn': [['00', 'at_once', approved()]],
  '9110.nn': [['00', 'at_once', approved()]],
  '9111.nn': [
    ['00', 'at_once', approved()],
    ['50', 'at_once', declined('91')],
  ],
  '9112.nn': [['00', 'at_once', approved()]],
}

/** The payments that show the answer to a fault amount; its later effects need further requests. */
export function faultTrials(amount: string): readonly Trial[] {
  return (FAULT_TRIALS[amount] ?? []).map(([cents, runs, answer]) => {
    const sent = amount.replace('nn', cents)
    return { when: sent, runs, payment: { amount: sent }, answer }
  })
}

const TEST_CARD = '4012889000000012'

export function cavvTrials({ cavv, isValid }: PublishedCavv): readonly Trial[] {
  return [atOnce('', { pan: TEST_CARD, cavv }, isValid ? approved() : declined('Q1'))]
}
