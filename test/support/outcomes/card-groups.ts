import { SPECIAL_SECURITY_CODES } from '../../../packages/bank/src/issuer/verification.ts'
import { AVS_VALUES } from '../../../packages/bank/src/test-data/avs-values.ts'
import { TEST_CARDS } from '../../../packages/bank/src/test-data/test-cards.ts'
import { KNOWN_CARDS } from '../../../packages/bank/src/three-ds/cards.ts'
import { MERCHANT_ADVICE } from '../../../packages/gateway/src/domain/memberships/network-rules.ts'
import type { RetryAdvice } from '../../../packages/gateway/src/domain/memberships/retry-advice.ts'
import {
  cardBrand,
  CARD_BRANDS,
  type CardBrand,
} from '../../../packages/gateway/src/domain/payments/card.ts'
import { eciScale } from '../../../packages/gateway/src/domain/three-ds/eci.ts'
import type { TransStatus } from '../../../packages/gateway/src/domain/three-ds/trans-status.ts'
import { BANK_TEST_WORDS } from '../../../packages/iso8583/src/index.ts'
import { AVS_CODES, CVV_CODES } from '../../../packages/kernel/src/verification.ts'
import type { OutcomeGroup } from './outcome-group.ts'

/** The brands with 3-D Secure in the sandbox. */
export const THREE_DS_BRANDS: readonly CardBrand[] = CARD_BRANDS.filter((brand) =>
  KNOWN_CARDS.some(({ pan }) => cardBrand(pan) === brand),
)

/** P3DS_RESPONSE; the type makes a new result of an issuer enter here. */
const THREE_DS_RESULTS: Readonly<Record<TransStatus | '', true>> = {
  Y: true,
  A: true,
  N: true,
  R: true,
  U: true,
  C: true,
  I: true,
  '': true,
}

const RETRY: Readonly<Record<RetryAdvice['kind'], string>> = {
  after: 'a date',
  new_data: 'new-data',
  authenticate: 'authenticate',
  never: 'never',
}

/** Advice of test cards that the rules of retries do not know. */
const TEST_CARD_ADVICE = TEST_CARDS.flatMap(({ merchantAdvice }) => merchantAdvice ?? [])

/** The results of the account updater that a test may ask for. */
export const UPDATER_WORDS = Object.keys(BANK_TEST_WORDS.updater.values ?? {})

const UPDATED_BRANDS = ['Visa', 'Mastercard'] as const

export const CARD_GROUPS = {
  avs: {
    title: 'AVS results',
    documented: [...Object.keys(AVS_CODES), ...AVS_VALUES.map(({ letter }) => letter)],
  },
  cvv: {
    title: 'CVV results',
    documented: [...Object.keys(CVV_CODES), ...SPECIAL_SECURITY_CODES.values()],
  },
  threeDs: {
    title: 'P3DS_RESPONSE',
    documented: Object.keys(THREE_DS_RESULTS),
  },
  eci: {
    title: 'ECI by brand',
    documented: THREE_DS_BRANDS.flatMap((brand) => {
      const { attempted, full, none } = eciScale(brand)
      return [full, attempted, none].map((eci) => `${brand} ${eci}`)
    }),
  },
  brand: { title: 'Card brands', documented: CARD_BRANDS },
  product: {
    title: 'Card products and balances',
    documented: TEST_CARDS.flatMap(({ product }) => [
      `CARD_TYPE ${product.type}`,
      `CARD_CLASS ${product.class}`,
      `CARD_PREPAID ${product.prepaid ? 1 : 0}`,
      `CARD_BANK ${product.bank}`,
      `CARD_COUNTRY ${product.country}`,
      `CARD_DETAIL ${product.detail}`,
    ]).concat(
      'CARD_BALANCE of APPROVED',
      'CARD_BALANCE of DECLINED',
      'TRANS_NTOKEN_USED 0',
      'TRANS_NTOKEN_USED 1',
    ),
  },
  advice: {
    title: 'Merchant advice codes',
    documented: [...Object.keys(MERCHANT_ADVICE), ...TEST_CARD_ADVICE],
  },
  retry: { title: 'Advice for the next attempt', documented: Object.values(RETRY) },
  updater: {
    title: 'Account updater by brand',
    documented: UPDATED_BRANDS.flatMap((brand) => UPDATER_WORDS.map((word) => `${brand} ${word}`)),
  },
} as const satisfies Readonly<Record<string, OutcomeGroup>>
