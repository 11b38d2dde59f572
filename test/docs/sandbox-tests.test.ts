import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { TEST_WORDS } from '../../packages/gateway/src/http/payment/sandbox-test.ts'
import { SANDBOX_TEST_PAGE, sandboxTestPage } from '../../tools/docs/sandbox-test-page.ts'

const page = readFileSync(new URL(`../../${SANDBOX_TEST_PAGE}`, import.meta.url), 'utf8')

test('the tables of test words and amounts are those of the code', () => {
  assert.equal(page, sandboxTestPage(), 'Run `npm run docs` and commit the page.')
})

test('the page has every word and every value that a request may send', () => {
  for (const [name, { values }] of Object.entries(TEST_WORDS)) {
    for (const value of Object.keys(values ?? {})) assert.ok(page.includes(`\`${name}=${value}\``))
    assert.ok(page.includes(`| \`${name}\` |`), name)
  }
})
