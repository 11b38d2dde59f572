import { KNOWN_CARDS } from '../../../packages/bank/src/three-ds/cards.ts'
import {
  BRAND_PREFIXES,
  cardBrand,
  CARD_BRANDS,
  type CardBrand,
} from '../../../packages/gateway/src/domain/payments/card.ts'
import { MASTERCARD, VISA } from '../payments.ts'
import { CARD, enrolForm, prepare } from '../three-ds.ts'
import type { Answer, Fields } from './answer.ts'
import { THREE_DS_BRANDS, UPDATER_WORDS } from './card-groups.ts'
import { inLanes } from './lanes.ts'
import { approvedSale } from './steps.ts'
import type { Sweep } from './sweep.ts'

const LENGTH = 16

/** A number of the brand with a right check digit. Throws for a brand without a range of its own. */
function numberOf(brand: CardBrand): string {
  const [, prefixes = ''] = BRAND_PREFIXES.find(([owner]) => owner === brand) ?? []
  const length = brand === 'American Express' || brand === 'UATP' ? 15 : LENGTH
  for (const prefix of prefixes.split(' ').map((span) => span.split('-')[0] ?? '')) {
    const body = prefix.padEnd(length - 1, '1')
    const number = [...'0123456789'].map((digit) => body + digit).find(isLuhnValid) ?? ''
    if (cardBrand(number) === brand) return number
  }
  throw new Error(`${brand} owns no range.`)
}

function isLuhnValid(number: string): boolean {
  const sum = [...number].toReversed().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

/** A payment with a card of every brand. */
export async function payWithEveryBrand({ pay }: Sweep): Promise<void> {
  await Promise.all(CARD_BRANDS.map((brand) => pay({ PMT_NUMB: numberOf(brand) })))
}

/** Results without a challenge, of issuers that answer at once. */
const PROMPT: ReadonlySet<string> = new Set([
  'success',
  'failed',
  'attempt',
  'unavailable',
  'rejected',
])

/** 3-D Secure with the test cards that need no cardholder, and with cards that have no issuer. */
export async function authenticateEveryBrand(sweep: Sweep): Promise<void> {
  const known = KNOWN_CARDS.filter(({ habit }) => PROMPT.has(habit)).map(({ pan }) => pan)
  const numbers = [...known, ...THREE_DS_BRANDS.map(numberOf)]
  const words = { SANDBOX_TEST: 'threeds=data-only' }
  await inLanes(numbers, async (number) => void (await enrol(sweep, number)))
  await enrol(sweep, CARD.dataOnly, words)
}

/** Prepares 3-D Secure, and asks the issuer. */
export async function enrol(
  { gateway, send }: Sweep,
  number: string,
  more: Fields = {},
): Promise<Answer> {
  return send(enrolForm(number, await prepare(gateway, number), more))
}

const NOT_REPORTED: ReadonlySet<string> = new Set(['unchanged', 'not-enrolled'])

/** A renewal of the shop's own for each result of the account updater and brand. */
export async function askTheUpdater(sweep: Sweep): Promise<void> {
  const cards = { Visa: VISA, Mastercard: MASTERCARD }
  await Promise.all(
    Object.entries(cards).flatMap(([brand, number]) =>
      UPDATER_WORDS.map(async (word) => {
        const { CUST_ID = '' } = await approvedSale(sweep, { PMT_NUMB: number })
        const renewal = { PMT_NUMB: null, PMT_EXPIRY: null, CUST_ID, REQUEST_REBILL: '1' }
        const { headers } = await sweep.pay({ ...renewal, SANDBOX_TEST: `updater=${word}` })
        const reported = headers.get('tollgate-account-update')
        const expected = NOT_REPORTED.has(word) ? null : word
        if (reported === expected) sweep.see('updater', `${brand} ${word}`)
      }),
    ),
  )
}
