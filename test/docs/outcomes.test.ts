import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { OUTCOMES_PAGE, outcomesPage } from '../../tools/docs/outcomes-page.ts'
import { TESTS } from '../support/outcomes/other-tests.ts'
import { judgeGroup, percentOf } from '../support/outcomes/outcome-group.ts'

const textOf = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('the table of outcomes is that of the groups that the sweep compares', () => {
  assert.equal(textOf(OUTCOMES_PAGE), outcomesPage(), 'Run `npm run docs` and commit the page.')
})

test('each test that produces an outcome in place of the sweep is in its file', () => {
  for (const { file, title } of Object.values(TESTS)) {
    assert.ok(textOf(file).includes(title), `${file} has no test "${title}".`)
  }
})

const ELSEWHERE = { file: 'a.test.ts', title: 'It is so.' }

test('a group is at fault for an outcome that is missing, listed though seen, listed twice, or unknown', () => {
  const group = {
    title: 'Codes',
    documented: ['1', '2', '3', '4', '5'],
    exceptions: { 2: 'reserved', 9: 'reserved' },
    elsewhere: { 2: ELSEWHERE, 3: ELSEWHERE, 5: ELSEWHERE },
  }
  assert.deepEqual(judgeGroup(group, new Set(['5', '7'])).faults, [
    'Codes: 9 is in exceptions, and is not documented',
    'Codes: 5 is in elsewhere, and was produced: remove it',
    'Codes: 1 was not produced',
    'Codes: 2 is in 2 lists',
    'Codes: 4 was not produced',
  ])
})

test('the percentage leaves exceptions out, counts what is missing against the group, and never rounds up', () => {
  const group = {
    title: 'Codes',
    documented: ['1', '2', '3', '4', '4'],
    exceptions: { 1: 'reserved' },
    elsewhere: { 2: ELSEWHERE },
  }
  const result = judgeGroup(group, new Set(['3']))
  assert.deepEqual(result.faults, ['Codes: 4 was not produced'])
  assert.equal(result.documented, 4)
  assert.equal(percentOf(result), 66)
})
