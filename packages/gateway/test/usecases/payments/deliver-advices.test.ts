import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readAdviceAnswer } from '../../../src/adapters/processor-iso8583/answers.ts'
import type { AdviceRequest } from '../../../src/usecases/banks/processor.ts'
import type { DueAdvice } from '../../../src/usecases/payments/advice-store.ts'
import { createAdviceDelivery } from '../../../src/usecases/payments/deliver-advices.ts'

const NOW = new Date(Date.UTC(2026, 2, 14, 12))

/** An advice of a merchant, as far as its delivery reads it. */
function requestOf(merchantId: bigint, request: Partial<AdviceRequest>): AdviceRequest {
  return { batch: null, ...request, account: { merchantId } } as AdviceRequest
}

/** The events of one advice that the bank answers with this DE 39, at this try. */
async function deliverOne(kind: AdviceRequest['kind'], code: string, tries = 1): Promise<string[]> {
  const events: string[] = []
  const request = requestOf(1n, { kind })
  const delivery = createAdviceDelivery({
    recorded: null,
    store: {
      take: () => Promise.resolve([{ id: 1n, tries, request }]),
      acknowledge: async (_id, responseCode) => void events.push(`acknowledged ${responseCode}`),
      postpone: async (_id, at, responseCode) =>
        void events.push(`again after ${at.getTime() - NOW.getTime()} ms, ${responseCode}`),
    },
    processor: {
      deliver: (advice) =>
        Promise.resolve(readAdviceAnswer({ mti: '0430', fields: { 39: code } }, advice)),
    },
    clock: { now: () => NOW },
    bankTimeoutMs: 25_000,
    onDisagreement: (_advice, responseCode) => events.push(`alarm ${responseCode}`),
    onAcknowledged: () => undefined,
  })
  await delivery.run()
  await delivery.idle()
  return events
}

suite('an advice that the bank answers', () => {
  test('an advice that the bank answers ends a reversal with 00, 21 and 25, in agreement', async () => {
    for (const code of ['00', '21', '25']) {
      assert.deepEqual(await deliverOne('reversal', code), [`acknowledged ${code}`])
    }
  })

  test('an advice that the bank answers sends a reversal again after any other code, which it keeps', async () => {
    for (const code of ['76', '96', '91', '30', '12']) {
      assert.deepEqual(await deliverOne('reversal', code), [`again after 500 ms, ${code}`])
    }
  })

  test('raises an alarm for a capture or refund that is refused for good', async () => {
    for (const kind of ['capture', 'refund'] as const) {
      assert.deepEqual(await deliverOne(kind, '00'), ['acknowledged 00'])
      for (const code of ['21', '25', '76']) {
        assert.deepEqual(await deliverOne(kind, code), [`acknowledged ${code}`, `alarm ${code}`])
      }
      assert.deepEqual(await deliverOne(kind, '96'), ['again after 500 ms, 96'])
    }
  })
})

test('an advice is retried after half a second, then after twice as long each time, up to a minute', async () => {
  const waits = [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
  for (const [before, seconds] of waits.entries()) {
    const events = await deliverOne('capture', '96', before + 1)
    assert.deepEqual(events, [`again after ${seconds * 1_000} ms, 96`])
  }
  assert.deepEqual(await deliverOne('reversal', '96', 100_000), ['again after 60000 ms, 96'])
})

test('an advice under way is leased for longer than the bank may take to answer', async () => {
  const leases: Date[] = []
  const delivery = createAdviceDelivery({
    recorded: null,
    store: {
      take: async (_most, _now, lease) => {
        leases.push(lease)
        return []
      },
      acknowledge: () => Promise.resolve(),
      postpone: () => Promise.resolve(),
    },
    processor: { deliver: () => Promise.reject(new Error('Nothing is due.')) },
    clock: { now: () => NOW },
    bankTimeoutMs: 25_000,
    onDisagreement: () => undefined,
    onAcknowledged: () => undefined,
  })
  await delivery.run()
  assert.deepEqual(leases, [new Date(NOW.getTime() + 35_000)])
})

test('an advice that waits for its answer holds up no advice of another order', async () => {
  const stuck = Promise.withResolvers<never>()
  const sent: string[] = []
  const queue: DueAdvice[] = ['stuck', 'next', 'third'].map((entryMode, at) => ({
    id: BigInt(at),
    tries: 1,
    request: requestOf(1n, { kind: 'capture', entryMode }),
  }))
  const delivery = createAdviceDelivery({
    recorded: null,
    store: {
      // One at a time, as they fall due.
      take: () => Promise.resolve(queue.splice(0, 1)),
      acknowledge: () => Promise.resolve(),
      postpone: () => Promise.resolve(),
    },
    processor: {
      deliver: ({ entryMode }) => {
        sent.push(entryMode)
        return entryMode === 'stuck'
          ? stuck.promise
          : Promise.resolve({ kind: 'acknowledged', responseCode: '00', agreed: true })
      },
    },
    clock: { now: () => NOW },
    bankTimeoutMs: 25_000,
    onDisagreement: () => undefined,
    onAcknowledged: () => undefined,
  })

  while (await delivery.run());

  assert.deepEqual(sent, ['stuck', 'next', 'third'])
})

test('the queue learns which merchants use the places, until their advices are answered', async () => {
  const answers: (() => void)[] = []
  const asked: string[] = []
  const merchants = [7n, 7n, 8n, 7n]
  const delivery = createAdviceDelivery({
    recorded: null,
    store: {
      take: async ({ free, used }) => {
        const places = [...used].map(([merchant, count]) => `${merchant}: ${count}`)
        asked.push([`${free} free`, ...places].join(', '))
        const merchantId = merchants.shift()
        if (merchantId === undefined) return []
        return [{ id: 1n, tries: 1, request: requestOf(merchantId, { kind: 'capture' }) }]
      },
      acknowledge: () => Promise.resolve(),
      postpone: () => Promise.resolve(),
    },
    processor: {
      deliver: () =>
        new Promise((resolve) =>
          answers.push(() => resolve({ kind: 'unknown', reason: 'timeout' })),
        ),
    },
    clock: { now: () => NOW },
    bankTimeoutMs: 25_000,
    onDisagreement: () => undefined,
    onAcknowledged: () => undefined,
  })

  while (await delivery.run());
  for (const answer of answers) answer()
  await delivery.idle()
  await delivery.run()

  assert.deepEqual(asked, [
    '256 free',
    '255 free, 7: 1',
    '254 free, 7: 2',
    '253 free, 7: 2, 8: 1',
    '252 free, 7: 3, 8: 1',
    '256 free',
  ])
})

/** A delivery of these captures, each of which waits until it is answered by hand. */
function byHand(captures: number, acknowledge: () => Promise<void>) {
  const answers: (() => void)[] = []
  const seen = { takes: 0, announced: 0 }
  const waiting = Array.from({ length: captures }, (_, at): DueAdvice => ({
    id: BigInt(at),
    tries: 1,
    request: requestOf(1n, { kind: 'capture' }),
  }))
  const delivery = createAdviceDelivery({
    recorded: null,
    store: {
      take: async () => {
        seen.takes += 1
        return waiting.splice(0)
      },
      acknowledge,
      postpone: () => Promise.reject(new Error('All are acknowledged.')),
    },
    processor: {
      deliver: () =>
        new Promise((resolve) =>
          answers.push(() => resolve({ kind: 'acknowledged', responseCode: '00', agreed: true })),
        ),
    },
    clock: { now: () => NOW },
    bankTimeoutMs: 25_000,
    onDisagreement: () => assert.fail('All agree.'),
    onAcknowledged: () => (seen.announced += 1),
  })
  return { answers, delivery, seen }
}

test('nothing is taken while all 256 places are used, and each acknowledgement is announced', async () => {
  const { answers, delivery, seen } = byHand(256, () => Promise.resolve())
  await delivery.run()
  const next = delivery.run()
  await new Promise(setImmediate)
  assert.deepEqual(seen, { takes: 1, announced: 0 })

  answers[0]?.()
  await next
  assert.deepEqual(seen, { takes: 2, announced: 1 })
  for (const answer of answers) answer()
  await delivery.idle()
  assert.equal(seen.announced, 256)
})

test('an acknowledgement that cannot be stored is reported by the next run, and by no other', async () => {
  const { answers, delivery, seen } = byHand(1, () =>
    Promise.reject(new Error('The disk is full.')),
  )
  await delivery.run()
  answers[0]?.()
  await delivery.idle()
  await assert.rejects(delivery.run(), /The disk is full/)
  assert.equal(await delivery.run(), false)
  assert.equal(seen.announced, 0)
})
