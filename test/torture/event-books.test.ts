import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { differencesOf } from '../../tools/torture/event-books.ts'
import type { ReadEvent } from '../../tools/torture/event-feed.ts'
import { answersOfShop, undelivered } from '../../tools/torture/webhook-books.ts'

const FACTS = [
  { type: 'authorization.approved', object: 'order 7', transaction: '1' },
  { type: 'capture.created', object: 'order 7', transaction: '2' },
  { type: 'membership.began', object: 'membership 3', transaction: '' },
]

const SITE = { recorded_at: '2026-11-24T00:00:00.000Z', site_id: '1001' }

function event(id: string, type: string, sequence: number, transaction: string): ReadEvent {
  const order = { type: 'order', id: '7' }
  return { ...SITE, id, type, object: order, sequence, data: { trans_id: transaction } }
}

const approved = event('a', 'authorization.approved', 1, '1')
const captured = event('b', 'capture.created', 2, '2')
const began: ReadEvent = {
  ...SITE,
  id: 'c',
  type: 'membership.began',
  object: { type: 'membership', id: '3' },
  sequence: 1,
  data: {},
}

suite('the events that a shop read', () => {
  test('agree with their facts, beside events of kinds that are not counted', () => {
    const pastDue = { ...began, id: 'd', type: 'membership.past_due', sequence: 2 }
    assert.deepEqual(differencesOf(FACTS, [approved, began, captured, pastDue]), [])
  })

  const MISTAKES: readonly (readonly [string, readonly ReadEvent[], readonly string[]])[] = [
    [
      'one is missing',
      [approved, began],
      ['events: capture.created of order 7 2 happened 1 times and was read 0 times'],
    ],
    [
      'one came twice',
      [approved, captured, captured, began],
      [
        'events: capture.created of order 7 2 happened 1 times and was read 2 times',
        'events: capture.created of order 7 was read twice as b',
      ],
    ],
    [
      'one has no fact',
      [approved, captured, began, event('e', 'refund.created', 3, '9')],
      ['events: refund.created of order 7 9 happened 0 times and was read 1 times'],
    ],
    [
      'two of an object changed places',
      [captured, approved, began],
      [
        'events: capture.created of order 7 has number 2, and 1 was next',
        'events: authorization.approved of order 7 has number 1, and 3 was next',
      ],
    ],
  ]
  for (const [mistake, read, differences] of MISTAKES) {
    test(`differ if ${mistake}`, () => {
      assert.deepEqual(differencesOf(FACTS, read), differences)
    })
  }
})

suite('the webhooks that arrived', () => {
  const read = [approved, captured, began]

  test('agree with the feed, also if some came again after later ones', () => {
    assert.deepEqual(undelivered([approved, began, captured, approved, captured], read), [])
  })

  test('differ if one never came', () => {
    assert.deepEqual(undelivered([approved, began], read), [
      'webhooks: capture.created of order 7 never arrived',
    ])
  })

  test('differ if one first came behind a later one of its object', () => {
    assert.deepEqual(undelivered([captured, approved, began], read), [
      'webhooks: authorization.approved of order 7 arrived as number 1, behind number 2',
    ])
  })
})

suite('the shop that receives webhooks', () => {
  test('fails at most twice for one event, however bad its luck', () => {
    const answerTo = answersOfShop({ happens: () => true })
    assert.deepEqual(['evt_a', 'evt_a', 'evt_b', 'evt_a', 'evt_b', 'evt_b'].map(answerTo), [
      'lost',
      'lost',
      'lost',
      204,
      'lost',
      204,
    ])
  })
})
