import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { TEST_WORDS } from '../../packages/gateway/src/http/payment/sandbox-test.ts'
import {
  OPERATION_NAMES,
  operationRefusals,
} from '../../packages/gateway/src/http/sandbox/operation-service.ts'
import {
  SANDBOX_OPERATIONS_PAGE,
  sandboxOperationsPage,
} from '../../tools/docs/sandbox-operations-page.ts'
import { SANDBOX_SITES_PAGE, sandboxSitesPage } from '../../tools/docs/sandbox-sites-page.ts'
import { SANDBOX_TEST_PAGE, sandboxTestPage } from '../../tools/docs/sandbox-test-page.ts'

const page = readFileSync(new URL(`../../${SANDBOX_TEST_PAGE}`, import.meta.url), 'utf8')

test('the tables of test words and amounts are those of the code', () => {
  assert.equal(page, sandboxTestPage(), 'Run `npm run docs` and commit the page.')
})

test('the tables of published sites and their answers are those of the list that makes them', () => {
  const sites = readFileSync(new URL(`../../${SANDBOX_SITES_PAGE}`, import.meta.url), 'utf8')
  assert.equal(sites, sandboxSitesPage(), 'Run `npm run docs` and commit the page.')
})

test('the page has every word and every value that a request may send', () => {
  for (const [name, { values }] of Object.entries(TEST_WORDS)) {
    for (const value of Object.keys(values ?? {})) assert.ok(page.includes(`\`${name}=${value}\``))
    assert.ok(page.includes(`| \`${name}\` |`), name)
  }
})

test('the page of operations has the operations and the codes of refusals of the code', () => {
  const operations = readFileSync(
    new URL(`../../${SANDBOX_OPERATIONS_PAGE}`, import.meta.url),
    'utf8',
  )
  assert.equal(operations, sandboxOperationsPage(), 'Run `npm run docs` and commit the page.')
  for (const name of OPERATION_NAMES) assert.ok(operations.includes(`| \`${name}\` |`), name)
  const errors = operations.slice(operations.indexOf('## Errors'))
  const codes = [...errors.matchAll(/^\| (`[^|]+`) \| (\d{3}) \|/gm)].flatMap(
    ([, names = '', status]) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)] as const),
  )
  assert.deepEqual(codes.toSorted(), [...operationRefusals()].toSorted())
})
