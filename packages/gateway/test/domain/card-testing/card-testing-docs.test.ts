import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  CARD_TESTING_COUNTS,
  CARD_TESTING_SUBJECTS,
  DEFAULT_CARD_TESTING_RULES,
} from '../../../src/domain/card-testing/card-testing.ts'

const PAGE = readFileSync(
  new URL('../../../../../docs/operators/card-testing.md', import.meta.url),
  'utf8',
)

/** The cells of the table whose first heading is this one, its backticks gone. */
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

test('docs/operators/card-testing.md has the rules to begin with, as they are', () => {
  assert.deepEqual(
    rows('Name').map((row) => row.slice(0, 6)),
    DEFAULT_CARD_TESTING_RULES.map(({ name, subject, counts, limit, windowSeconds, code }) =>
      [name, subject, counts, limit, windowSeconds, code].map(String),
    ),
  )
})

test('docs/operators/card-testing.md gives every subject and count its meaning in the program', () => {
  assert.deepEqual(rows('Subject'), Object.entries(CARD_TESTING_SUBJECTS))
  assert.deepEqual(rows('Counts'), Object.entries(CARD_TESTING_COUNTS))
})
