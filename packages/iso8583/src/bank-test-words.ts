import { TIME, readTestWords } from './test-words.ts'
import type { TestReading, TestWord, TestWords } from './test-words.ts'

/** The message to the test bank that an instruction is for. */
export type TestStep = 'authorization' | 'credit' | 'capture' | 'refund' | 'reversal'

/** A word of tag TT, which the test bank obeys for one message. */
export interface BankTestWord extends TestWord {
  /** The messages that may carry it. */
  readonly steps: readonly TestStep[]
}

const REQUESTS: readonly TestStep[] = ['authorization', 'credit']
const EVERY: readonly TestStep[] = [...REQUESTS, 'capture', 'refund', 'reversal']
const LETTER_CODES = [
  '1A',
  '5C',
  '6P',
  '9G',
  'B1',
  'N0',
  'N3',
  'N4',
  'N7',
  'N8',
  'Q1',
  'R0',
].concat(['R1', 'R3', 'Z1', 'Z3', 'Z5'])
const ONE_CHARACTER = {
  pattern: /^[A-Z0-9]$/,
  expected: 'one capital or digit; 0 stands for no result',
}

function form(
  steps: readonly TestStep[],
  meaning: string,
  pattern: RegExp,
  expected: string,
): BankTestWord {
  return { steps, meaning, values: null, form: { pattern, expected } }
}

function list(
  steps: readonly TestStep[],
  meaning: string,
  values: Readonly<Record<string, string>>,
): BankTestWord {
  return { steps, meaning, values, form: null }
}

/** The words of tag TT. Merchants have tests against them, so none is changed or removed. */
export const BANK_TEST_WORDS = {
  de39: form(
    EVERY,
    'The response code of the bank. 00, 08, 11 and 85 approve, 10 approves half, or the balance ' +
      'if there is one. Of a capture, refund or void, the code of the first copy of its advice.',
    new RegExp(`^(?:[0-9]{2}|${LETTER_CODES.join('|')})$`),
    `two digits, or one of ${LETTER_CODES.join(', ')}`,
  ),
  mac: form(
    ['authorization'],
    'The merchant advice code of a decline. Without de39 the decline is 05.',
    /^[0-9]{2}$/,
    'two digits',
  ),
  avs: form(
    ['authorization'],
    'The AVS result, whether the check was requested or not.',
    ONE_CHARACTER.pattern,
    ONE_CHARACTER.expected,
  ),
  cvv: form(
    ['authorization'],
    'The CVV result, whether the check was requested or not.',
    ONE_CHARACTER.pattern,
    ONE_CHARACTER.expected,
  ),
  balance: form(
    ['authorization'],
    'The funds of the card, in major units. A larger payment is 51, or the balance where a ' +
      'partial approval is accepted. The answer reports the balance left.',
    /^[0-9]{1,7}(?:\.[0-9]{1,3})?$/,
    'an amount such as 20.00, with at most seven digits before the point',
  ),
  'network-token': list(['authorization'], 'The number that the acquirer sends on.', {
    used: 'a token of the card network, so TRANS_NTOKEN_USED is 1',
  }),
  updater: list(['authorization'], 'The result of the account updater, for saved cards.', {
    'new-number': 'the account has a new number and a new expiry',
    'new-expiry': 'the account has a new expiry',
    closed: 'the account is closed: 46, unless de39 is there',
    ask: 'the issuer wants the cardholder to be asked: 05, unless de39 is there',
    unchanged: 'number and expiry are still right',
    'not-enrolled': 'the issuer does not take part',
  }),
  issuer: list(['authorization'], 'The issuer is down.', {
    'stand-in': 'the network approves without it',
    down: 'the network declines with 91',
  }),
  refund: list(['credit', 'refund'], 'The outcome of a refund at the bank.', {
    refused: '76 for the refund of an order, which ends it there; 05 for an unreferenced credit',
  }),
  answer: list(EVERY, 'The fault of the link between gateway and bank.', {
    lost: 'the bank books the message and never answers',
    'lost-unbooked': 'the bank neither books the message nor answers',
    late: "the bank answers 1 second after the gateway's timeout, or after the delay",
    twice: 'the answer comes twice',
    closed: 'the connection closes before the answer',
    torn: 'the connection closes in the middle of the answer',
    reset: 'the connection is reset after a second',
    'wrong-stan': 'the answer has another STAN',
    'wrong-amount': 'the answer has an amount that is one minor unit too high',
    'wrong-bitmap': 'the answer has an invalid bitmap',
    'held-back': 'the bank processes the message 2 seconds later, or after the delay',
    overtaken:
      'the bank processes the message 2 seconds after the timeout: a reversal overtakes it',
  }),
  delay: {
    ...list(EVERY, 'The bank answers so much later.', {}),
    values: null,
    form: TIME,
  },
  reversal: list(REQUESTS, 'The first answer to a reversal of the payment.', {
    21: 'reversed, and answered as if it had been before',
    25: 'reversed, and answered as if nothing were known',
    76: 'not reversed until the reversal is repeated',
    96: 'not reversed until the reversal is repeated',
  }),
  settlement: list(['authorization', 'capture'], 'The fate of the capture in settlement.', {
    rejected: 'the capture is accepted, and rejected in the settlement file',
  }),
} as const satisfies Readonly<Record<string, BankTestWord>>

export type BankTestName = keyof typeof BANK_TEST_WORDS

/** DE 39 values that approve the whole amount. */
export const APPROVING_CODES: ReadonlySet<string> = new Set(['00', '08', '11', '85'])
/** Faults that a delay makes longer. */
const TIMED = ['late', 'held-back', 'overtaken']

/**
 * Why these words cannot stand together, or on messages of this step; null for nothing. Words of
 * other tables are ignored.
 */
export function contradictionOf(words: ReadonlyMap<string, string>, step: TestStep): string | null {
  const table: Readonly<Record<string, BankTestWord>> = BANK_TEST_WORDS
  for (const name of words.keys()) {
    const word = table[name]
    if (word === undefined || word.steps.includes(step)) continue
    return `${name} has no effect on this action, so it must not be sent with it.`
  }
  const code = words.get('de39')
  const has = (...names: readonly BankTestName[]): boolean => names.some((name) => words.has(name))
  if (has('mac') && code !== undefined && (APPROVING_CODES.has(code) || code === '10')) {
    return 'mac is the advice of a decline, and this de39 approves.'
  }
  if (has('issuer') && has('de39', 'mac', 'avs', 'cvv', 'balance', 'network-token', 'updater')) {
    return 'issuer decides everything, so it goes with answer and delay only.'
  }
  if (has('refund') && has('de39')) return 'refund and de39 decide the same. Send one of them.'
  const answer = words.get('answer')
  if (has('delay') && answer !== undefined && !TIMED.includes(answer)) {
    return `delay goes with answer=${TIMED.join(', answer=')}, or with no answer.`
  }
  return null
}

/** Reads tag TT. */
export function readBankTest(text: string): TestReading {
  return readTestWords(text, BANK_TEST_WORDS satisfies TestWords)
}

/** The text of tag TT: the words of the bank among these; null for none. */
export function encodeBankTest(words: ReadonlyMap<string, string>): string | null {
  const own = [...words].filter(([name]) => Object.hasOwn(BANK_TEST_WORDS, name))
  return own.length === 0 ? null : own.map(([name, value]) => `${name}=${value}`).join(';')
}
