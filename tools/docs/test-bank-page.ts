import { readFileSync } from 'node:fs'
import { findBrand } from '../../packages/bank/src/issuer/card-brands.ts'
import { AVS_VALUES } from '../../packages/bank/src/test-data/avs-values.ts'
import { BRAND_NAMES, DOC_TABLES } from '../../packages/bank/src/test-data/doc-tables.ts'
import { PUBLIC_CARDS } from '../../packages/bank/src/test-data/public-cards.ts'
import { TEST_CARDS } from '../../packages/bank/src/test-data/test-cards.ts'
import { TRIAL_RUNS } from '../../packages/bank/src/test-data/trial.ts'
import { TEST_VALUES } from '../../packages/bank/src/test-data/value-list.ts'
import {
  BANK_VALUES,
  withGatewayCodes,
} from '../../packages/gateway/src/adapters/bank-control/test-values.ts'
import type {
  CodeWithText,
  PublishedTestValue,
  TestTrial,
} from '../../packages/gateway/src/domain/banks/test-value.ts'
import { table, withTables, type Rows } from './doc-page.ts'

/** Relative to the root of the repository. */
export const TEST_BANK_PAGE = 'docs/test-bank.md'

/** Every test value with its outcome in all tiers, as `/sandbox/values` lists them. */
export function publishedValues(): readonly PublishedTestValue[] {
  return withGatewayCodes(BANK_VALUES.parse(TEST_VALUES))
}

/** The page with its tables written from the code; the rest of its text stays. */
export function testBankPage(): string {
  const page = readFileSync(new URL(`../../${TEST_BANK_PAGE}`, import.meta.url), 'utf8')
  const values = publishedValues()
  const of = (kind: string) => values.filter((value) => value.kind === kind)
  const ours: Readonly<Record<string, () => string>> = {
    'trigger-amounts': () =>
      table([
        ['Amount', 'What happens', 'DE 39', 'Service', 'Processor', 'Issuer', 'AVS', 'CVV'],
        ...of('amount').map(amountRow),
      ]),
    'test-cards': () =>
      table([['Number', 'Brand', 'Kind', 'What it does', 'Service'], ...of('card').map(cardRow)]),
    'card-products': () => table(productRows()),
    'public-cards': () =>
      table([
        ['Brand', 'Numbers'],
        ...PUBLIC_CARDS.map(([brand, pans]) => [brand, pans.join(', ')]),
      ]),
    avs: () =>
      table([
        ['Result', 'Meaning', 'How to get it'],
        ...AVS_VALUES.map(({ how, letter, meaning }) => [letter, meaning, how]),
      ]),
    runs: () =>
      table([
        ['`runs`', 'The payment can be sent'],
        ...Object.entries(TRIAL_RUNS).map(([name, meaning]) => [`\`${name}\``, meaning]),
      ]),
  }
  return withTables(page, { ...DOC_TABLES, ...ours })
}

function amountRow({ meaning, trials, value }: PublishedTestValue): readonly string[] {
  const [first] = trials
  // The hundred codes have a table of their own on the page of codes.
  const answer = first?.answer ?? null
  if (value.endsWith('nn') || answer === null) {
    return [value, meaning, 'nn', '', '', '', '', '']
  }
  const { avs, cvv, issuer, processor, responseCode } = answer
  const others = trials.slice(1).map(({ answer }) => ` (or \`${answer?.responseCode ?? ''}\`)`)
  return [
    value,
    meaning,
    `\`${responseCode}\`${others.join('')}`,
    serviceOf(trials),
    reported(processor),
    reported(issuer),
    avs ?? '',
    cvv ?? '',
  ]
}

function reported({ code, text }: CodeWithText): string {
  if (code === '') return ''
  return text === '' ? `\`${code}\`` : `\`${code}\` ${text}`
}

const CARDS = new Map(TEST_CARDS.map((card) => [card.pan, card]))

function cardRow({ meaning, trials, value }: PublishedTestValue): readonly string[] {
  const brand = findBrand(value)
  const product = CARDS.get(value)?.product
  const kind = product?.prepaid === true ? 'prepaid' : (product?.detail.toLowerCase() ?? '')
  return [value, brand === null ? '' : BRAND_NAMES[brand], kind, meaning, serviceOf(trials)]
}

/** The code of the ordinary payment, then those of the others with their difference. */
function serviceOf(trials: readonly TestTrial[]): string {
  return trials
    .flatMap(({ answer, when }) => {
      if (answer === null) return []
      return [when === '' ? String(answer.service.code) : `${when}: ${answer.service.code}`]
    })
    .join('; ')
}

/** Each product once, with the first test card that has it. */
function productRows(): Rows {
  const rows = new Map<string, readonly string[]>()
  for (const { pan, product } of TEST_CARDS) {
    const { bank, country, detail, prepaid, type } = product
    const cells = [type, product.class, detail, prepaid ? '1' : '0', country, bank]
    const key = cells.join(';')
    if (!rows.has(key)) rows.set(key, [...cells.map((cell) => `\`${cell}\``), pan])
  }
  const names = ['CARD_TYPE', 'CARD_CLASS', 'CARD_DETAIL', 'CARD_PREPAID', 'CARD_COUNTRY']
  return [[...names, 'CARD_BANK', 'For example'], ...rows.values()]
}
