import { MASTERCARD_CREDIT, VISA_CREDIT } from '../issuer/card-product.ts'
import type { CardProduct } from '../issuer/card-product.ts'
import type { TestCard } from './test-card.ts'

/** The expiry of a changed account; no other row has it. */
const NEW_EXPIRY = '4912'

/** How a brand's account updater cards are numbered, in the sequence of `updaterCards`. */
interface UpdaterNumbers {
  readonly product: CardProduct
  /** Tag MA where a payment does not know of a change: Mastercard announces that there is one. */
  readonly changedAdvice?: string
  readonly renumbered: string
  readonly newNumber: string
  readonly renewed: string
  readonly closed: string
  readonly notParticipating: string
  readonly contact: string
  readonly strict: string
}

function updaterCards(numbers: UpdaterNumbers): readonly TestCard[] {
  const { changedAdvice: merchantAdvice, product } = numbers
  const advice = merchantAdvice === undefined ? {} : { merchantAdvice }
  const declined = merchantAdvice === undefined ? '54' : `54 with advice ${merchantAdvice}`
  const unlinked = product === MASTERCARD_CREDIT ? '65' : '1A'
  const since = 'approves the customer; for merchant-initiated payments'
  return [
    {
      pan: numbers.renumbered,
      meaning:
        `${since} its number is ${numbers.newNumber} now: updater A with expiry 12/2049 and ` +
        `approved, without the updater ${declined}`,
      product,
      updater: { result: 'A', number: numbers.newNumber, expiry: NEW_EXPIRY },
      ...advice,
    },
    {
      pan: numbers.newNumber,
      meaning: `approves; the new number of ${numbers.renumbered}`,
      product,
    },
    {
      pan: numbers.renewed,
      meaning:
        `${since} its expiry is 12/2049 now: updater E and approved, without the updater and ` +
        `with another expiry ${declined}`,
      product,
      updater: { result: 'E', expiry: NEW_EXPIRY },
      ...advice,
    },
    {
      pan: numbers.closed,
      meaning: `${since} it is closed: 46, updater C`,
      product,
      merchantInitiated: '46',
      updater: { result: 'C' },
    },
    {
      pan: numbers.contact,
      meaning: `${since} its holder is to be asked: 05, updater Q`,
      product,
      merchantInitiated: '05',
      updater: { result: 'Q' },
    },
    {
      pan: numbers.notParticipating,
      meaning: 'approves; its issuer has no updater: P, and an expiry in the past is 54',
      product,
      updater: { result: 'P' },
    },
    {
      pan: numbers.strict,
      meaning:
        `approves the customer; strict with merchant-initiated payments: ${unlinked} where they ` +
        'name no first payment, 12 for any other objection',
      product,
      isStrict: true,
    },
  ]
}

/** Number, DE 39 and its meaning: Visa accounts that decline after an approved first payment. */
const VISA_SINCE: readonly (readonly [pan: string, code: string, meaning: string])[] = [
  ['4012889000000046', '04', 'pick up the card'],
  ['4012889000000418', '41', 'lost'],
  ['4012889000000434', '43', 'stolen'],
  ['4012889000000590', '59', 'suspected fraud'],
  ['4012889000000913', '91', 'issuer not available'],
]

/** Number, DE 39, merchant advice code (tag MA; null for none) and what it means; Mastercard. */
const MASTERCARD_SINCE: readonly (readonly [
  pan: string,
  code: string,
  advice: string | null,
  meaning: string,
])[] = [
  ['5200829000004027', '51', '02', 'try again later'],
  ['5200829000004035', '05', '03', 'do not try again'],
  ['5200829000004043', '05', '04', 'the token is not supported here'],
  ['5200829000004217', '05', '21', 'stop this recurring payment'],
  ['5200829000004241', '51', '24', 'try again after 1 hour'],
  ['5200829000004258', '51', '25', 'try again after 24 hours'],
  ['5200829000004266', '51', '26', 'try again after 2 days'],
  ['5200829000004274', '51', '27', 'try again after 4 days'],
  ['5200829000004282', '51', '28', 'try again after 6 days'],
  ['5200829000004290', '51', '29', 'try again after 8 days'],
  ['5200829000004308', '51', '30', 'try again after 10 days'],
  ['5200829000004407', '05', '40', 'a prepaid card that cannot be loaded again'],
  ['5200829000004415', '05', '41', 'a virtual card for one payment'],
  ['5200829000004423', '05', '42', 'sanctions score'],
  ['5200829000004431', '05', '43', 'a virtual card for several payments'],
  ['5200829000004993', '51', null, 'no advice at all'],
]

/**
 * Test cards for memberships: later results of an account after an approved first payment.
 */
export const RENEWAL_CARDS: readonly TestCard[] = [
  ...updaterCards({
    product: VISA_CREDIT,
    renumbered: '4012889000001010',
    newNumber: '4012889000001093',
    renewed: '4012889000001028',
    closed: '4012889000001036',
    contact: '4012889000001044',
    notParticipating: '4012889000001051',
    strict: '4012889000001101',
  }),
  ...updaterCards({
    product: MASTERCARD_CREDIT,
    changedAdvice: '01',
    renumbered: '5555559000001019',
    newNumber: '5555559000001092',
    renewed: '5555559000001027',
    closed: '5555559000001035',
    contact: '5555559000001043',
    notParticipating: '5555559000001050',
    strict: '5555559000001100',
  }),
  ...VISA_SINCE.map(([pan, merchantInitiated, meaning]) => ({
    pan,
    meaning:
      `approves the customer, answers merchant-initiated payments with ${merchantInitiated}: ` +
      meaning,
    product: VISA_CREDIT,
    merchantInitiated,
  })),
  ...MASTERCARD_SINCE.map(([pan, merchantInitiated, advice, meaning]) => ({
    pan,
    meaning:
      `approves the customer, answers merchant-initiated payments with ${merchantInitiated}` +
      (advice === null ? `: ${meaning}` : ` and advice ${advice}: ${meaning}`),
    product: MASTERCARD_CREDIT,
    merchantInitiated,
    ...(advice === null ? {} : { merchantAdvice: advice }),
  })),
]
