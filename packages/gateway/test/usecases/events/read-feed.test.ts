import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEventBell } from '../../../src/usecases/events/event-bell.ts'
import type { FeedFilter, FeedPage, PlacedFact } from '../../../src/usecases/events/event-store.ts'
import { createReadFeed, type FeedAnswer } from '../../../src/usecases/events/read-feed.ts'

const FILTER: FeedFilter = { merchantId: 10n, siteId: null, types: [] }

function anEvent(position: number): PlacedFact {
  const at = new Date(0)
  return {
    id: `evt_${position}`,
    sequence: 1n,
    recordedAt: at,
    position: BigInt(position),
    fact: {
      kind: 'whole',
      type: 'site.changed',
      merchantId: '10',
      siteId: '1001',
      objectId: '1001',
      at,
      actor: null,
      order: null,
      content: { mode: null, origin: 'OPERATOR', data: {} },
    },
  }
}

function ids(answer: FeedAnswer): string[] {
  return page(answer).events.map((text) => (JSON.parse(text) as { id: string }).id)
}

/** A feed in memory, whose waits are ended by its bell alone. */
function aFeed() {
  const state = { events: [] as PlacedFact[], last: 0n, reads: 0, isStopping: false, nowMs: 0 }
  const bell = createEventBell()
  const readFeed = createReadFeed({
    reader: {
      readBounds: async () => ({
        epoch: 1,
        last: state.last,
        beforeOldest: 0n,
        firstOfEpoch: new Map([[1, 1n]]),
      }),
      readPage: async (_, after): Promise<FeedPage> => {
        state.reads += 1
        const events = state.events.slice(Number(after))
        return { events, position: after + BigInt(events.length), hasMore: false }
      },
    },
    bell,
    isHeard: () => true,
    isStopping: () => state.isStopping,
    digest: (text) => Buffer.from(text).toString('base64url').slice(0, 20),
    monotonicMs: () => state.nowMs,
  })
  const ask = (after: string, waitMs: number, signal = new AbortController().signal) =>
    readFeed({ filter: FILTER, after, limit: 10, waitMs, signal })
  return { ask, bell, state }
}

function page(answer: FeedAnswer) {
  if (answer.kind !== 'page') throw new Error(`The feed answered ${answer.kind}.`)
  return answer
}

test('a wait ends with the event that rings, and reads the feed only then', async () => {
  const { ask, bell, state } = aFeed()
  const waiting = ask('', 30_000)
  await new Promise(setImmediate)
  bell.ring(['11'])
  await new Promise(setImmediate)
  assert.equal(state.reads, 1)
  state.events.push(anEvent(1))
  state.last = 1n
  bell.ring(['10'])

  assert.deepEqual(ids(await waiting), ['evt_1'])
  assert.equal(state.reads, 2)
})

test('a ring between the reading and the wait is not lost', async () => {
  const { ask, bell, state } = aFeed()
  const waiting = ask('', 30_000)
  // Before the first reading has come back.
  bell.ring(['10'])
  state.nowMs = 10
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  assert.equal(state.reads, 2)
  state.events.push(anEvent(1))
  bell.ring(null)
  assert.equal(page(await waiting).events.length, 1)
})

test('a process that stops ends every wait with an empty page', async () => {
  const { ask, bell, state } = aFeed()
  const waiting = ask('', 30_000)
  await new Promise(setImmediate)
  state.isStopping = true
  bell.stop()

  assert.deepEqual(page(await waiting).events, [])
})

test('a cursor moves to the end of the whole feed where nothing of it is for the merchant', async () => {
  const { ask, state } = aFeed()
  const first = page(await ask('', 0))
  state.last = 7n
  const second = page(await ask(first.cursor, 0))
  state.events = Array.from({ length: 8 }, (_, at) => anEvent(at + 1))
  state.last = 8n

  assert.notEqual(second.cursor, first.cursor)
  assert.deepEqual(ids(await ask(second.cursor, 0)), ['evt_8'])
})

test('a bell forgets those who have left', async () => {
  const bell = createEventBell()
  const listening = bell.listen(10n)
  listening.end()
  bell.ring(['10'])
  await listening.wait(0)
  const again = bell.listen(10n)
  bell.ring(['10'])
  await again.wait(60_000)
  again.end()
})
