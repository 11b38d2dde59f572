import { TEST_VALUES } from '../../../packages/bank/src/test-data/value-list.ts'
import { FAULTS, HABITS, type Habit } from '../../../packages/bank/src/three-ds/habits.ts'
import { SHOP_TEST_WORDS } from '../../../packages/gateway/src/http/payment/shop-faults.ts'
import { BANK_TEST_WORDS, type TestWord } from '../../../packages/iso8583/src/index.ts'
import { TESTS } from './other-tests.ts'
import type { OtherTest, OutcomeGroup } from './outcome-group.ts'

const FAULT_TRIALS = TEST_VALUES.filter(({ kind }) => kind === 'fault').flatMap(
  ({ trials }) => trials,
)

/** Each key with one test. */
function eachIn(keys: readonly string[], test: OtherTest): Readonly<Record<string, OtherTest>> {
  return Object.fromEntries(keys.map((key) => [key, test]))
}

/** The values of a word of tests, as a request has them. */
function named(word: string, { values }: TestWord): string[] {
  return Object.keys(values ?? {}).map((value) => `${word}=${value}`)
}

const ANSWERS = named('answer', BANK_TEST_WORDS.answer)
const REVERSALS = named('reversal', BANK_TEST_WORDS.reversal)

/** Challenges that end without an authentication. */
const LOST_CHALLENGES: readonly Habit[] = [
  'challenge',
  'challenge_unavailable',
  'challenge_error',
  'rreq_without_value',
  'rreq_never',
  'rreq_says_n',
  'cres_says_n',
]

export const FAULT_GROUPS = {
  faultAmounts: {
    title: 'Fault amounts',
    documented: FAULT_TRIALS.map(({ when }) => when),
    elsewhere: eachIn(
      FAULT_TRIALS.filter(({ runs }) => runs === 'disturbing').map(({ when }) => when),
      TESTS.linkFaults,
    ),
  },
  bankFaults: {
    title: 'Faults of the bank and its link by words',
    documented: [
      ...ANSWERS,
      ...REVERSALS,
      ...named('issuer', BANK_TEST_WORDS.issuer),
      ...named('refund', BANK_TEST_WORDS.refund),
    ],
    elsewhere: {
      ...eachIn(ANSWERS, TESTS.ownLinkFaults),
      ...eachIn(REVERSALS, TESTS.reversalCodes),
    },
  },
  issuers: {
    title: 'Issuers and faults of 3-D Secure',
    documented: [...Object.keys(HABITS), ...Object.keys(FAULTS)],
    elsewhere: {
      ...eachIn(LOST_CHALLENGES, TESTS.lostChallenge),
      ...eachIn(['rreq_twice', 'rreq_contradicts', 'rreq_wrong_id'], TESTS.repeatedResult),
      rreq_late: TESTS.lateResult,
      ...eachIn(['page_503', 'page_dead'], TESTS.deadPage),
      challenge_fails: TESTS.wrongCodes,
    },
  },
  shopFaults: {
    title: 'Faults between shop and gateway',
    documented: named('shop', SHOP_TEST_WORDS.shop),
    elsewhere: {
      'shop=lost': TESTS.lostAnswer,
      'shop=torn': TESTS.lostAnswer,
      'shop=twice': TESTS.twoRequests,
    },
  },
} as const satisfies Readonly<Record<string, OutcomeGroup>>
