import { messageKey } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { MERCHANT } from '../settlement/settling.ts'
import { linkTo } from '../support/bank-process.ts'
import { ask, startTestBank } from '../support/running-bank.ts'
import { aCapture, anAuthorization } from '../support/test-bank.ts'
import { schemaFaults } from './dispute-schema.ts'

interface Answer {
  readonly status: number
  readonly body: { notice: Record<string, unknown>; notices: object[]; error: string }
}

/** A bank in this process with captured orders of these amounts, and calls of its control API. */
async function aSoldBank(t: TestContext, amounts: readonly bigint[]) {
  const { bank, url } = await startTestBank(t)
  const link = await linkTo(t, bank.port)
  const orders: string[] = []
  for (const minor of amounts) {
    const order = anAuthorization({ minor })
    orders.push(messageKey(order))
    for (const message of [order, aCapture(order, minor)]) {
      assert.equal((await ask(link, message)).fields[39], '00')
    }
  }
  const call = async (path: string, body?: object): Promise<Answer> => {
    const init = { method: 'POST', body: JSON.stringify(body) }
    const headers = { 'content-type': 'application/json' }
    const address = new URL(`/books${path}`, url)
    const answer = await fetch(address, body === undefined ? {} : { ...init, headers })
    return { status: answer.status, body: (await answer.json()) as Answer['body'] }
  }
  return { call, orders }
}

test('the control API raises, answers, moves and lists disputes', async (t) => {
  const { call, orders } = await aSoldBank(t, [1000n])
  const raise = { merchant: MERCHANT, event: 'chargeback', order: orders[0], reason: '13.1' }
  const raised = await call('/disputes', { ...raise, minor: '600' })
  assert.equal(raised.status, 201)
  const { notice } = raised.body
  assert.deepEqual([notice['amount'], notice['event']], ['6.00', 'chargeback'])
  const file = { name: 'slip.pdf', type: 'application/pdf', sha256: '0'.repeat(64), bytes: 7 }
  const answer = { merchant: MERCHANT, case: notice['case'], id: 'A-1', answer: 'contest' }
  const contest = { ...answer, text: 'escalate_evidence', files: [file] }
  const answered = await call('/disputes/answers', contest)
  assert.equal(answered.status, 201)
  assert.deepEqual(await call('/disputes/answers', contest), answered)
  const taken = await call('/disputes/answers', { ...contest, id: 'A-2' })
  assert.equal(taken.status, 409)
  assert.match(taken.body.error, /takes the next answer at its next stage/)

  const move = { merchant: MERCHANT, case: notice['case'], to: 'pre_arbitration' }
  const moved = await call('/disputes/move', move)

  assert.equal(moved.status, 201)
  const { body } = await call(`/disputes?merchant=${MERCHANT}`)
  assert.deepEqual(body.notices, [notice, answered.body.notice, moved.body.notice])
  assert.deepEqual((await call(`/disputes?merchant=${MERCHANT}&after=2`)).body.notices, [
    moved.body.notice,
  ])
  assert.deepEqual(schemaFaults(body.notices.map((each) => ({ r: 'N', ...each }))), [])
})

test('the control API decides about an answer at once, and only about an answer', async (t) => {
  const { call, orders } = await aSoldBank(t, [1000n])
  const raised = await call('/disputes', { merchant: MERCHANT, event: 'inquiry', order: orders[0] })
  const named = { merchant: MERCHANT, case: raised.body.notice['case'] }
  const early = await call('/disputes/decisions', { ...named, verdict: 'won' })
  assert.match(
    early.body.error,
    /is at inquiry and has no answer to decide about\. Contest it first/,
  )
  const steps: unknown[] = []

  for (const verdict of ['escalate', 'escalate', 'escalate', 'won']) {
    const answer = { ...named, id: `A-${steps.length}`, answer: 'contest', text: 'proof' }
    assert.equal((await call('/disputes/answers', answer)).status, 201)
    const { body } = await call('/disputes/decisions', { ...named, verdict })
    steps.push(body.notice['event'])
  }

  assert.deepEqual(steps, ['chargeback', 'pre_arbitration', 'arbitration', 'won'])
})

test('the days of the settlement API bring the disputes of a closed day', async (t) => {
  const { call } = await aSoldBank(t, [911_331n])

  await call('/settlement/days', { merchant: MERCHANT, day: '2026-03-15' })

  const { body } = await call(`/disputes?merchant=${MERCHANT}`)
  assert.deepEqual(
    body.notices.map((notice) => (notice as { event: string }).event),
    ['rapid_resolution'],
  )
})

test('a capture that the settlement file rejects is not disputed', async (t) => {
  const { call, orders } = await aSoldBank(t, [911_200n])

  const answer = await call('/disputes', {
    merchant: MERCHANT,
    event: 'chargeback',
    order: orders[0],
  })

  assert.equal(answer.status, 404)
  assert.match(answer.body.error, /has no captured order/)
})

test('the control API refuses what it does not understand about disputes, with what it found', async (t) => {
  const { call } = await aSoldBank(t, [])
  const named = { merchant: MERCHANT, event: 'chargeback', rrn: '000000000001' }
  const answer = { merchant: MERCHANT, case: 'C-1', id: 'A-1', answer: 'accept' }
  const cases: readonly [path: string, body: object | undefined, status: number, why: RegExp][] = [
    [
      '/disputes',
      { ...named, merchant: undefined },
      400,
      /merchant is missing; it must be up to 15/,
    ],
    ['/disputes', { ...named, event: 'won' }, 400, /event is "won"; it must be one of inquiry, fr/],
    ['/disputes', { ...named, minor: '0' }, 400, /minor is "0"; it must be minor units in quotes/],
    ['/disputes', { ...named, minor: 100 }, 400, /minor is 100; it must be minor units in quotes/],
    ['/disputes', { ...named, rrn: '1' }, 400, /rrn is "1"; it must be 12 letters and digits/],
    ['/disputes', { ...named, rrn: undefined }, 400, /Name the order by order or rrn, or an inq/],
    ['/disputes', { ...named, reason: 'é' }, 400, /reason is "é"; it must be up to 64 characters/],
    ['/disputes', named, 404, /has no captured order with DE 37 000000000001/],
    ['/disputes', [], 400, /The body must be a JSON object/],
    ['/disputes?after=1', undefined, 400, /merchant is missing/],
    [`/disputes?merchant=${MERCHANT}&after=-1`, undefined, 400, /after is "-1"; it must be the nu/],
    [
      '/disputes/answers',
      { ...answer, answer: 'yes' },
      400,
      /answer is "yes"; it must be one of a/,
    ],
    ['/disputes/answers', { ...answer, text: 5 }, 400, /text is 5; it must be a text of up to/],
    ['/disputes/answers', { ...answer, text: 'x'.repeat(20_001) }, 400, /text is "xxx.*…; it must/],
    [
      '/disputes/answers',
      { ...answer, files: {} },
      400,
      /files is \{\}; it must be an array of up/,
    ],
    ['/disputes/answers', { ...answer, files: [{}] }, 400, /bytes is missing; it must be the numb/],
    ['/disputes/answers', answer, 404, /has no case C-1\. GET \/books\/disputes lists/],
    ['/disputes/move', { merchant: MERCHANT, case: 'C-1', to: 'lost' }, 404, /has no case C-1/],
    ['/disputes/move', { merchant: MERCHANT, case: 'C-1', to: 'x' }, 400, /to is "x"; it must be/],
    ['/disputes/nothing', {}, 404, /docs\/dispute-notices\.md/],
  ]
  for (const [path, body, status, why] of cases) {
    const found = await call(path, body)
    assert.match(found.body.error, why)
    assert.equal(found.status, status, path)
  }
})
