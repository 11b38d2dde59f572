import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { MERCHANT } from '../settlement/settling.ts'
import { schemaFaults } from './dispute-schema.ts'
import { aDisputingBank } from './disputing.ts'

const SAMPLE = readFileSync(
  new URL('../../../../docs/schemas/tollgate-disputes-v1.sample.jsonl', import.meta.url),
  'utf8',
)
const LINES = SAMPLE.trimEnd().split('\n')
const RECORDS = LINES.map((line) => JSON.parse(line) as Record<string, unknown>)

test('every line of the published sample of dispute notices matches the published schema', () => {
  assert.deepEqual(schemaFaults(RECORDS), [])
})

test('the published sample of dispute notices is whole, and its notices are numbered', () => {
  const [trailer] = RECORDS.slice(-1)
  const notices = RECORDS.slice(1, -1)
  const sha256 = createHash('sha256')
    .update(
      LINES.slice(0, -1)
        .map((line) => `${line}\n`)
        .join(''),
    )
    .digest('hex')

  assert.deepEqual(trailer, { r: 'T', notices: notices.length, sha256 })
  const [first] = notices
  assert.deepEqual(
    notices.map(({ n }) => n),
    notices.map((_, at) => Number(first?.['n']) + at),
  )
})

test('the published schema of dispute notices refuses unknown events, wrong amounts and missing keys', () => {
  const notice = RECORDS.find(({ event }) => event === 'chargeback')
  assert.ok(notice)
  const { order: _order, rrn: _rrn, ...nameless } = notice
  for (const wrong of [
    { ...notice, event: 'refund' },
    { ...notice, amount: '-60.00' },
    { ...notice, amount: 60 },
    { ...notice, at: '2026-11-19' },
    { ...notice, network_due: 'soon' },
    { ...notice, n: 0 },
    nameless,
  ]) {
    assert.equal(schemaFaults([wrong]).length, 1, JSON.stringify(wrong))
  }
})

test('every event that the bank reports matches the published schema', async (t) => {
  const { answer, desk, notices, pass, raise, sell } = await aDisputingBank(t)
  const order = await sell(10_000n)
  await raise(order, 'rapid_resolution', { minor: 100n })
  await raise(order, 'fraud_report')
  const inquiry = await raise(order, 'inquiry', { minor: 100n })
  await desk.move(MERCHANT, inquiry.case, 'withdrawn')
  for (const text of ['winning_evidence', 'losing_evidence', 'escalate_evidence']) {
    const { case: id } = await raise(order, 'chargeback', { minor: 100n })
    await answer(id, text)
  }
  await pass(1)
  const { case: last = '' } = notices().at(-1) ?? {}
  await answer(last, 'escalate_evidence')
  await pass(1)
  await answer(last, '', { answer: 'accept' })

  assert.deepEqual(schemaFaults(notices().map((notice) => ({ r: 'N', ...notice }))), [])
  const events = new Set(notices().map(({ event }) => event))
  assert.equal(events.size, 11, [...events].join(' '))
})
