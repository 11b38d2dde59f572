import { readFileSync } from 'node:fs'
import {
  SHOP_FAULT_AMOUNTS,
  SHOP_TEST_WORDS,
} from '../../packages/gateway/src/http/payment/shop-faults.ts'
import { THREE_DS_TEST_WORDS } from '../../packages/gateway/src/http/payment/three-ds-test.ts'
import { BANK_TEST_WORDS } from '../../packages/iso8583/src/index.ts'
import type { TestStep, TestWord } from '../../packages/iso8583/src/index.ts'
import { table, withTables, type Rows } from './doc-page.ts'

/** Relative to the root of the repository. */
export const SANDBOX_TEST_PAGE = 'docs/integrators/sandbox-tests.md'

const ACTIONS: Readonly<Record<TestStep, string>> = {
  authorization: 'CCAUTHORIZE, CCAUTHCAP',
  credit: 'unreferenced credit',
  capture: 'CCCAPTURE',
  refund: 'CCCREDIT',
  reversal: 'CCREVERSE, CCREVERSECAP',
}

/** The page with its tables written from the code; the rest of its text stays. */
export function sandboxTestPage(): string {
  const page = readFileSync(new URL(`../../${SANDBOX_TEST_PAGE}`, import.meta.url), 'utf8')
  return withTables(
    page,
    Object.fromEntries(Object.entries(TABLES).map(([name, rows]) => [name, () => table(rows())])),
  )
}

const TABLES: Readonly<Record<string, () => Rows>> = {
  'bank-words': () => [
    ['Word', 'What it decides', 'Actions'],
    ...Object.entries(BANK_TEST_WORDS).flatMap(([name, word]) => [
      ...rowsOf(name, word, word.steps.map((step) => ACTIONS[step]).join(', ')),
    ]),
  ],
  'three-ds-words': () => [
    ['Word', 'What it decides', 'Actions'],
    ...Object.entries(THREE_DS_TEST_WORDS).flatMap(([name, word]) =>
      rowsOf(name, word, ACTIONS.authorization),
    ),
  ],
  'shop-words': () => [
    ['Word', 'What it decides', 'Actions'],
    ...Object.entries(SHOP_TEST_WORDS).flatMap(([name, word]) => rowsOf(name, word, 'all')),
  ],
  'shop-amounts': () => [
    ['Amount', 'What happens'],
    ...SHOP_FAULT_AMOUNTS.map(({ amount, meaning }) => [amount, meaning]),
  ],
}

/** A word, then each of its values. */
function rowsOf(name: string, { form, meaning, values }: TestWord, actions: string): Rows {
  const expected = form === null ? '' : ` Expects ${form.expected}.`
  return [
    [`\`${name}\``, meaning + expected, actions],
    ...Object.entries(values ?? {}).map(([value, effect]) => [`\`${name}=${value}\``, effect, '']),
  ]
}
