import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  FeedGapError,
  FeedRefusedError,
  followEvents,
  type FeedGap,
  type FollowOptions,
} from '../src/index.ts'

interface Page {
  readonly status?: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

const event = (n: number) => ({ id: `evt_${n}`, type: 'payment.approved', data: { po_id: `${n}` } })
const page = (cursor: string, ...numbers: readonly number[]): Page => ({
  body: { events: numbers.map(event), cursor, has_more: false },
})
const problem = (status: number, name: string, more: object = {}): Page => ({
  status,
  body: { type: `/docs/integrators/problems#${name}`, title: 'A title.', status, ...more },
})
const CUT: Page = { status: 0, body: {} }

/** A shop that follows a feed of these answers; then the feed is quiet until the end. */
function aShop(answers: readonly Page[], more: Partial<FollowOptions> = {}) {
  const asked: URL[] = []
  const writes: string[] = []
  const end = new AbortController()
  let stored: string | null = null
  const options: FollowOptions = {
    baseUrl: 'http://gateway.test',
    username: 'shop',
    password: 'secret',
    signal: end.signal,
    store: {
      read: () => stored,
      write(cursor) {
        stored = cursor
        writes.push(cursor)
      },
    },
    fetch: (async (url: URL, init: RequestInit) => {
      assert.equal(new Headers(init.headers).get('authorization'), 'Basic c2hvcDpzZWNyZXQ=')
      asked.push(url)
      const answer = answers[asked.length - 1]
      if (answer === undefined) {
        end.abort()
        throw new Error('The feed has ended.')
      }
      if (answer === CUT) throw new TypeError('fetch failed')
      return new Response(JSON.stringify(answer.body), {
        status: answer.status ?? 200,
        headers: answer.headers ?? {},
      })
    }) as typeof fetch,
    ...more,
  }
  return { asked, end, options, writes }
}

async function idsOf(options: FollowOptions): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of followEvents(options)) ids.push(id)
  return ids
}

test('every event comes in sequence, and a cursor is stored once the events before it were handled', async () => {
  const { asked, options, writes } = aShop([page('c1', 1, 2), page('c1'), page('c2', 3)], {
    types: ['payment.', 'refund.'],
    siteId: 1001,
  })
  const seen: string[] = []
  for await (const { id } of followEvents(options)) seen.push(`${id} ${writes.length}`)
  assert.deepEqual(seen, ['evt_1 0', 'evt_2 0', 'evt_3 1'])
  assert.deepEqual(writes, ['c1', 'c2'])
  assert.deepEqual(
    asked.map((url) => url.searchParams.get('after')),
    [null, 'c1', 'c1', 'c2'],
  )
  assert.deepEqual(Object.fromEntries(asked[0]?.searchParams ?? []), {
    wait: '30',
    types: 'payment.,refund.',
    site_id: '1001',
  })
})

test('a shop that was restarted in the middle of a page gets the page again', async () => {
  const { asked, options, writes } = aShop([page('c1', 1, 2, 3), page('c1', 1, 2, 3)])
  for await (const { id } of followEvents(options)) if (id === 'evt_2') break
  assert.deepEqual(writes, [])
  assert.deepEqual(await idsOf(options), ['evt_1', 'evt_2', 'evt_3'])
  assert.equal(asked[1]?.searchParams.get('after'), null)
  assert.deepEqual(writes, ['c1'])
})

test('a lost connection, a restart and too many requests are tried again, as long as asked', async () => {
  const retries: string[] = []
  const { asked, options } = aShop(
    [
      CUT,
      { ...problem(503, 'unavailable'), headers: { 'retry-after': '1' } },
      page('c1', 1),
      { status: 502, body: {} },
      page('c2', 2),
    ],
    { onRetry: ({ message }) => retries.push(message) },
  )
  assert.deepEqual(await idsOf(options), ['evt_1', 'evt_2'])
  assert.equal(asked.length, 6)
  assert.deepEqual(
    retries.map((message) => /answer|503|502/.exec(message)?.[0]),
    ['answer', '503', '502'],
  )
})

test('missing events are reported, and the iteration goes on from the new cursor', async () => {
  const gaps: FeedGap[] = []
  const { asked, options, writes } = aShop(
    [page('c1', 1), problem(410, 'feed-forked', { cursor: 'c0' }), page('c9', 9)],
    { onGap: (gap) => void gaps.push(gap) },
  )
  assert.deepEqual(await idsOf(options), ['evt_1', 'evt_9'])
  assert.deepEqual(gaps, [{ reason: 'feed-forked', from: 'c1', cursor: 'c0' }])
  assert.deepEqual(writes, ['c1', 'c0', 'c9'])
  assert.equal(asked[2]?.searchParams.get('after'), 'c0')
})

test('missing events that no function handles end the iteration, and nothing is stored', async () => {
  const { options, writes } = aShop([problem(410, 'cursor-expired', { cursor: 'c5' })])
  await assert.rejects(
    idsOf(options),
    (error) => error instanceof FeedGapError && error.gap.cursor === 'c5',
  )
  assert.deepEqual(writes, [])
})

for (const [status, name] of [
  [401, 'unauthenticated'],
  [403, 'right-missing'],
  [400, 'filter-changed'],
  [302, ''],
] as const) {
  test(`HTTP status ${status} ends the iteration with its problem`, async () => {
    const answer = name === '' ? { status, body: {} } : problem(status, name)
    const { asked, options } = aShop([answer])
    await assert.rejects(
      idsOf(options),
      (error) => error instanceof FeedRefusedError && error.problem === name,
    )
    assert.equal(asked.length, 1)
  })
}

test('an end of the signal ends a pause, and the iteration without an error', async () => {
  const { end, options } = aShop(
    [{ ...problem(429, 'rate-limited'), headers: { 'retry-after': '60' } }],
    { onRetry: () => end.abort() },
  )
  assert.deepEqual(await idsOf(options), [])
})
