import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  CLOCK_ACTIONS,
  CLOCK_PATH,
  clockRefusals,
} from '../../../src/http/sandbox/clock-service.ts'

const page = readFileSync(
  new URL('../../../../../docs/integrators/test-clock.md', import.meta.url),
  'utf8',
)

/** The cells of the table with this head, without the code marks. */
function rowsOf(head: string): string[][] {
  const table = page.split(`| ${head} |`)[1]?.split('\n\n')[0] ?? ''
  return table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
}

test('docs/integrators/test-clock.md lists every address of the clock', () => {
  const addresses = rowsOf('Address').map(([, address]) => address)
  assert.deepEqual(addresses, [
    CLOCK_PATH,
    ...CLOCK_ACTIONS.map((action) => `${CLOCK_PATH}/${action}`),
  ])
})

test('docs/integrators/test-clock.md lists every code with which the clock refuses, and its HTTP status', () => {
  const codes = new Map(rowsOf('Code').map(([, code = '', status]) => [code, Number(status)]))
  assert.deepEqual([...codes].toSorted(), [...clockRefusals()].toSorted())
})
