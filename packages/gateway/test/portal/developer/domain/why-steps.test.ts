import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findTestValue, type TestBankTables } from '../../../../src/domain/banks/test-bank.ts'
import { findCurrency } from '../../../../src/domain/currency.ts'
import { SERVICE_TEXTS } from '../../../../src/domain/payments/service-codes.ts'
import { REFUSALS } from '../../../../src/http/payment/refusals.ts'
import { REFUSED_AT } from '../../../../src/portal/developer/domain/why-decided.ts'
import type { WhyFacts, WhyTransaction } from '../../../../src/portal/developer/domain/why-facts.ts'
import { explainAnswer } from '../../../../src/portal/developer/domain/why-steps.ts'

const NOTHING: WhyFacts = {
  request: null,
  transaction: null,
  site: null,
  threeDs: null,
  cardTesting: null,
  testValue: null,
}

const A_SITE: NonNullable<WhyFacts['site']> = {
  id: 1001n,
  mode: 'test',
  avsMode: 'I',
  cvvMode: 'I',
  avsMatchSet: '',
  cvvMatchSet: '',
  cardTestingMode: 'off',
  threeDsRequired: false,
  threeDsUnavailable: 'authorize',
}
const PAYMENT: WhyTransaction = {
  kind: 'authorization',
  state: 'declined',
  isUnreferencedCredit: false,
  amount: '10.00',
  value: '10.00',
  currency: 'USD',
  serviceCode: 600,
  serviceText: 'Declined',
  responseCode: '05',
  bankSays: 'The bank declined.',
  reason: 'The bank of the card declined.',
  advice: 'Another card may work.',
  avsCode: '',
  avsMeaning: '',
  cvvCode: '',
  cvvMeaning: '',
  processorName: 'Test bank',
  withoutCode: false,
  card: 'Visa 411111******1111',
  orderReference: '',
}

const request = (action: string, refusal: string | null): NonNullable<WhyFacts['request']> => ({
  action,
  parameters: { REQUEST_ACTION: action },
  username: 'demo',
  refField: '',
  expected: null,
  refusal:
    refusal === null
      ? null
      : { name: refusal, text: 'No', meaning: 'It means no.', code: 'API 113' },
  warnings: [],
})

const ACTIONS = [
  'CCAUTHORIZE',
  'CCAUTHCAP',
  'CCCAPTURE',
  'CCCREDIT',
  'CCREVERSE',
  'CCREVERSECAP',
  'CCSTATUS',
  'SUB_CANCEL',
  'TESTAUTH',
  '3DSINVOKEDDC',
  'TOKEN_SERVICE',
  '',
]
const RESPONSES = ['', '00', '05', '10', '51', '85', 'N7', 'R1', '??']
const KINDS = ['authorization', 'sale', 'capture', 'refund', 'void', 'capture_void'] as const
const STATES = ['running', 'pending', 'approved', 'declined', 'failed'] as const

/** Every combination of facts. */
function* everything(): Generator<WhyFacts> {
  for (const action of ACTIONS) {
    for (const refusal of [null, ...Object.keys(REFUSALS)])
      yield { ...NOTHING, request: request(action, refusal) }
  }
  const authentications = [null, 'asking', 'challenge', 'consumed', 'failed', 'expired'].map(
    (state) =>
      state === null
        ? null
        : {
            state,
            stateMeaning: state,
            status: 'N',
            statusMeaning: 'Not authenticated',
            reason: '',
            cause: '',
            version: '2.2.0',
          },
  )
  for (const kind of KINDS) {
    for (const state of STATES) {
      for (const responseCode of RESPONSES) {
        for (const serviceCode of Object.keys(SERVICE_TEXTS).map(Number)) {
          for (const threeDs of authentications) {
            for (const by of [null, request('CCAUTHORIZE', null)]) {
              yield {
                ...NOTHING,
                request: by,
                threeDs,
                transaction: { ...PAYMENT, kind, state, responseCode, serviceCode },
              }
            }
          }
        }
      }
    }
  }
}

suite('the reasons of an answer', () => {
  test('exactly one step decides, for any known facts, and no later step was reached', () => {
    for (const facts of everything()) {
      const verdicts = explainAnswer(facts).map(({ verdict }) => verdict)
      const at = verdicts.indexOf('decided')
      const isSound =
        at >= 0 &&
        verdicts.lastIndexOf('decided') === at &&
        verdicts.slice(at + 1).every((verdict) => verdict === 'not_reached') &&
        !verdicts.slice(0, at).includes('not_reached')
      if (!isSound) assert.fail(`${JSON.stringify(facts)}: ${verdicts.join(', ')}`)
    }
  })

  test('every refusal of the payment interface has its step', () => {
    assert.deepEqual(Object.keys(REFUSED_AT).sort(), Object.keys(REFUSALS).sort())
  })

  test("an approval that the site's rules reverse is decided by the rule and not by the bank", () => {
    const decided = (serviceCode: number, responseCode: string): string | undefined =>
      explainAnswer({
        ...NOTHING,
        request: request('CCAUTHORIZE', null),
        transaction: { ...PAYMENT, serviceCode, responseCode },
      }).find(({ verdict }) => verdict === 'decided')?.key

    assert.deepEqual(
      [decided(623, '00'), decided(621, '00'), decided(660, '10')],
      ['address', 'security_code', 'partial'],
    )
    assert.deepEqual(
      [decided(623, '6P'), decided(621, 'N7'), decided(660, '51')],
      ['bank', 'bank', 'bank'],
    )
  })

  test('the code of a rule behind the bank does not stand at the decision of the bank', () => {
    const inputsOfBank = (serviceCode: number, responseCode: string) =>
      explainAnswer({
        ...NOTHING,
        request: request('CCAUTHORIZE', null),
        transaction: { ...PAYMENT, serviceCode, responseCode },
      })
        .find(({ key }) => key === 'bank')
        ?.inputs.map(([name]) => name)
    const known = ['Bank', 'Card', 'Amount', 'Bank response (DE 39)']
    assert.deepEqual(inputsOfBank(623, '00'), known)
    assert.deepEqual(inputsOfBank(600, '05'), [...known, 'SERVICE'])
  })

  test('a limit of the account decided what no rule of the site and no bank did', () => {
    const decided = (serviceCode: number, cardTestingMode: string): string => {
      const steps = explainAnswer({
        ...NOTHING,
        request: request('CCAUTHORIZE', null),
        site: { ...A_SITE, cardTestingMode },
        transaction: { ...PAYMENT, state: 'declined', responseCode: '', serviceCode },
      })
      const step = steps.find(({ verdict }) => verdict === 'decided')
      return `${step?.key}: ${step?.says}`
    }
    assert.match(
      decided(540, 'off'),
      /^limits: The amount is above the limit .* No bank was asked\.$/,
    )
    assert.match(decided(201, 'enforce'), /^limits: .* requires a country .* and none was sent\./)
    assert.match(decided(215, 'off'), /^limits: The payments of this day/)
    assert.match(decided(601, 'watch'), /^limits: .* this billing country\./)
    assert.match(decided(601, 'enforce'), /^card_testing: /)
  })

  test('a site that only watches lets a payment pass a full rule', () => {
    const steps = explainAnswer({
      ...NOTHING,
      request: request('CCAUTHORIZE', null),
      cardTesting: { rule: 'card-declines', refused: false },
      transaction: { ...PAYMENT, state: 'approved', responseCode: '00', serviceCode: 100 },
    })
    assert.match(
      steps.find(({ key }) => key === 'card_testing')?.says ?? '',
      /card-declines reached its limit. The site is in watch mode/,
    )
  })
})

suite('which test value of the bank decided', () => {
  const tables: TestBankTables = {
    triggers: [
      { amount: '5.07', currency: null, meaning: 'declined: over the limit', responseCode: '61' },
      { amount: '7.00', currency: 'EUR', meaning: 'approved', responseCode: '00' },
    ],
    faults: [{ amount: '9101.nn', meaning: 'never answers' }],
    testCards: [{ pan: '4242429000000308', brand: 'visa', kind: 'debit', meaning: 'has 30.00' }],
    postalCodes: [],
    securityCodes: [],
    threeDs: [],
    challengeCodes: [],
    runs: {},
    values: [],
  }
  const found = (minor: bigint, code: string, maskedNumber = '', last4 = '') => {
    const currency = findCurrency(code)
    assert.ok(currency)
    return (
      findTestValue(tables, { amountMinor: minor, currency, maskedNumber, last4 })?.kind ?? null
    )
  }

  test('an amount counts in currencies with two decimals only, and before the card', () => {
    assert.deepEqual(
      [found(507n, 'USD'), found(507n, 'JPY'), found(700n, 'EUR'), found(700n, 'USD')],
      ['trigger', null, 'trigger', null],
    )
    assert.deepEqual(
      [found(910_142n, 'USD'), found(507n, 'USD', '424242******0308', '0308')],
      ['fault', 'trigger'],
    )
  })

  test("a card is identified by the log's part of its number", () => {
    assert.deepEqual(
      [
        found(1_000n, 'USD', '424242******0308', '0308'),
        found(1_000n, 'USD', '411111******0308', '0308'),
        found(1_000n, 'USD', '', '0308'),
      ],
      ['card', null, 'card'],
    )
  })
})
