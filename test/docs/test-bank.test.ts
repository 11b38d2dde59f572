import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { RESERVED_SERVICE_CODES, SERVICE_TEXTS } from '../../packages/kernel/src/service-codes.ts'
import { CODES_PAGE, codesPage } from '../../tools/docs/codes-page.ts'
import { TEST_BANK_PAGE, testBankPage } from '../../tools/docs/test-bank-page.ts'

const pageAt = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the tables of the test bank are those of the code', () => {
  assert.equal(pageAt(TEST_BANK_PAGE), testBankPage(), 'Run `npm run docs` and commit the page.')
})

test('the service codes have the texts, test values and marks of the code', () => {
  assert.equal(pageAt(CODES_PAGE), codesPage(), 'Run `npm run docs` and commit the page.')
})

/** The files that choose a SERVICE code. */
const CHOOSING = [
  'domain/merchants/account-{demands,limits}.ts',
  'domain/{memberships,payments,three-ds}/*.ts',
  'usecases/{card-testing,memberships,payments,three-ds}/*.ts',
  'adapters/processor-iso8583/*.ts',
  'http/payment/*.ts',
]

/** Three-digit literals of these files, without texts, comments, and codes of the API tier. */
function chosenNumbers(): ReadonlySet<number> {
  const folder = new URL('../../packages/gateway/src/', import.meta.url)
  const source = globSync(CHOOSING, { cwd: folder })
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n')
    .replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
    .replaceAll(/'[^'\n]*'/g, '')
    .replaceAll(/\bapi\(\s*\d+|\bhttpStatus(?::| =) \d+/g, '')
  return new Set((source.match(/\b\d{1,3}\b/g) ?? []).map(Number))
}

test('the program chooses every service code but the reserved ones', () => {
  const chosen = chosenNumbers()
  const codes = Object.keys(SERVICE_TEXTS).map(Number)
  assert.deepEqual(
    codes.filter((code) => !chosen.has(code)),
    [...RESERVED_SERVICE_CODES],
  )
})
