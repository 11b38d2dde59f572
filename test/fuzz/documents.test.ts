import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { REFUSALS } from '../../packages/gateway/src/http/payment/refusals.ts'
import { allTargets } from '../../tools/fuzz/fuzz.ts'
import { STATUSES } from '../../tools/fuzz/http-answers.ts'

const page = readFileSync(new URL('../../docs/internals/fuzz.md', import.meta.url), 'utf8')

test('the targets in docs/internals/fuzz.md are those that there are', async () => {
  const listed = [...page.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, name]) => name)
  const there = (await allTargets()).map(({ name }) => name)
  assert.deepEqual(listed.sort(), there.sort())
})

test('the statuses in docs/internals/fuzz.md are those that fuzzing lets pass, and every refusal has one of them', () => {
  const listed = [...page.matchAll(/^\| ([0-9]{3}) \|/gm)].map(([, status]) => Number(status))
  assert.deepEqual(listed, [...STATUSES])
  const others = Object.values(REFUSALS).filter(({ httpStatus }) => !STATUSES.has(httpStatus))
  assert.deepEqual(others, [])
  assert.ok(!STATUSES.has(500))
})
