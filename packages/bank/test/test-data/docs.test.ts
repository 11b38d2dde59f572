import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { ACTIONS } from '../../src/control/control-faults.ts'
import { UPDATER_RESULTS } from '../../src/issuer/account-updater.ts'
import { findBrand } from '../../src/issuer/card-brands.ts'
import { SPECIAL_POSTAL_CODES, SPECIAL_SECURITY_CODES } from '../../src/issuer/verification.ts'
import { FAULT_AMOUNTS } from '../../src/test-data/fault-amounts.ts'
import { TEST_CARDS, TEST_CARD_ADDRESS } from '../../src/test-data/test-cards.ts'
import { TRIGGER_AMOUNTS } from '../../src/test-data/trigger-amounts.ts'
import { FAULT_CARDS, KNOWN_CARDS, OLD_CARDS } from '../../src/three-ds/cards.ts'

const page = await readFile(new URL('../../../../docs/test-bank.md', import.meta.url), 'utf8')

test('every row of the code stands on the page, once', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| '))
  const count = (cell: string) => rows.filter((row) => row.startsWith(`| ${cell} |`)).length
  for (const { pan } of TEST_CARDS) assert.equal(count(pan), 1, pan)
  for (const { amount, currency } of TRIGGER_AMOUNTS) {
    assert.equal(count(currency === undefined ? amount : `${amount} EUR`), 1, amount)
  }
  for (const { amount } of FAULT_AMOUNTS) assert.equal(count(amount), 1, amount)
  const shown = [...KNOWN_CARDS, ...OLD_CARDS, ...FAULT_CARDS]
  const cells = rows.flatMap((row) => row.split(' | '))
  const countCell = (pan: string) =>
    cells.filter((cell) => cell.replace(/[| ]/g, '') === pan).length
  for (const { pan } of shown) assert.equal(countCell(pan), 1, pan)
  for (const kind of Object.keys(ACTIONS)) assert.equal(count(`\`${kind}\``), 1, kind)
  for (const code of SPECIAL_POSTAL_CODES.keys()) assert.equal(count(code), 1, code)
  for (const code of SPECIAL_SECURITY_CODES.keys()) assert.equal(count(code), 1, code)
})

test('every card number on the page is a test card of the bank or a public test number of a known brand', () => {
  const testCards = new Set(TEST_CARDS.map(({ pan }) => pan))
  const numbers = page.match(/\b\d{14,19}\b/g) ?? []

  assert.ok(numbers.length > testCards.size)
  for (const number of numbers)
    assert.ok(testCards.has(number) || findBrand(number) !== null, number)
})

test('the page of the link explains every result of the account updater', async () => {
  const link = await readFile(
    new URL('../../../../docs/internals/bank-link.md', import.meta.url),
    'utf8',
  )
  const rows = [...link.matchAll(/^\| `([A-Z])` \|/gm)].map(([, letter]) => letter)

  assert.deepEqual(rows.sort(), Object.keys(UPDATER_RESULTS).sort())
})

test('the page explains every AVS result', () => {
  for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') {
    assert.match(page, new RegExp(`^\\| ${letter} \\|`, 'm'), letter)
  }
  assert.ok(page.includes(TEST_CARD_ADDRESS.street))
})
