import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  ATTEMPT_CAPS,
  DECLINE_CATEGORIES,
  DEFAULT_WAIT_HOURS,
  MERCHANT_ADVICE,
} from '../../../src/domain/memberships/network-rules.ts'
import type { MerchantAdvice } from '../../../src/domain/memberships/network-rules.ts'
import { DEFAULT_RETRY_DAYS } from '../../../src/domain/memberships/retry-plan.ts'

const PAGE = readFileSync(
  new URL('../../../../../docs/operators/renewal-retries.md', import.meta.url),
  'utf8',
)

/** The cells of the table whose first headings are these, backticks gone. */
function rows(heading: string): string[][] {
  const [, table = ''] = PAGE.split(`\n| ${heading} |`)
  return table
    .slice(0, table.indexOf('\n\n'))
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
}

test('docs/operators/renewal-retries.md has every response code in its category', () => {
  assert.deepEqual(rows('Since | Category'), DECLINE_CATEGORIES)
})

test('docs/operators/renewal-retries.md has every advice code and what is done about it', () => {
  const expected = Object.entries(MERCHANT_ADVICE)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([code, advice]) => [code, advice.text, whatIsDone(advice)])
  assert.deepEqual(rows('Advice'), expected)
})

test('docs/operators/renewal-retries.md has every cap', () => {
  const expected = ATTEMPT_CAPS.map(({ network, from, attempts, days, amounts }) =>
    [network, from, attempts, days, amounts].map(String),
  )
  assert.deepEqual(rows('Network'), expected)
})

test('docs/operators/renewal-retries.md has the days and hours that hold without a choice', () => {
  const last = DEFAULT_RETRY_DAYS.at(-1)
  const days = `${DEFAULT_RETRY_DAYS.slice(0, -1).join(', ')} and ${last} days after its first`
  assert.ok(PAGE.includes(days), days)
  assert.ok(PAGE.includes(`The next retry, ${DEFAULT_WAIT_HOURS} hours later at the earliest`))
})

function whatIsDone(advice: MerchantAdvice): string {
  switch (advice.kind) {
    case 'never':
      return 'never again'
    case 'new_data':
      return 'waits for new data'
    case 'wait':
      return `waits ${advice.hours} ${advice.hours === 1 ? 'hour' : 'hours'}`
  }
}
