import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { eventually } from '../../../../../test/support/eventually.ts'
import {
  startTraceCollector,
  type TraceCollector,
} from '../../../../../test/support/trace-collector.ts'
import { createCollector } from '../../../src/adapters/traces/collector.ts'
import { encodeTraces } from '../../../src/adapters/traces/otlp-json.ts'
import { createSpanQueue, type SpanQueueLimits } from '../../../src/adapters/traces/span-queue.ts'
import { createTracer } from '../../../src/adapters/traces/tracer.ts'

let collector: TraceCollector
before(async () => {
  collector = await startTraceCollector()
})
after(() => collector.close())
beforeEach(() => collector.behave(200))

/** A queue to the collector of the test, and what it says of itself. */
function queueWith(limits: Partial<SpanQueueLimits>, timeoutMs = 60_000) {
  const said: string[] = []
  const dropped: Record<string, number> = {}
  let exported = 0
  const queue = createSpanQueue({
    collector: createCollector(collector.url, timeoutMs),
    encode: (traces) => encodeTraces(traces, 0, { resource: {}, actions: new Set() }),
    monotonicMs: () => performance.now(),
    counts: {
      exported: (spans) => (exported += spans),
      dropped: (why, spans) => (dropped[why] = (dropped[why] ?? 0) + spans),
    },
    onTrouble: (reason) => said.push(reason),
    onRecovery: () => said.push('recovered'),
    limits: { gatherMs: 1, againMs: 1, ...limits },
  })
  const tracer = createTracer({ ratio: 1, monotonicMs: () => 0, onEnd: queue.add })
  /** Adds a trace of one span. */
  const add = (): void => tracer.end(tracer.begin(undefined), 200)
  return { queue, add, said, dropped, exported: () => exported }
}

test('spans that a collector cannot take now are sent again, and the trouble is reported once', async () => {
  const { add, dropped, exported, queue, said } = queueWith({ tries: 1_000 })
  collector.behave(503)
  const before = collector.requests()
  add()
  await eventually('it was tried three times', () => collector.requests() - before >= 3)
  collector.behave(200)
  await eventually('the span is taken', () => exported() === 1)
  await queue.stop(60_000)
  assert.deepEqual([said, dropped], [['it answered with HTTP 503', 'recovered'], {}])
})

test('spans that a collector refuses are dropped and counted, and are not sent again', async () => {
  const { add, dropped, queue, said } = queueWith({})
  collector.behave(400)
  const before = collector.requests()
  add()
  await eventually('the span is dropped', () => dropped['refused'] === 1)
  await queue.stop(60_000)
  assert.equal(collector.requests() - before, 1)
  assert.deepEqual(said, ['it answered with HTTP 400'])
})

test('a collector that never answers fills the queue, and more spans are dropped at once', async () => {
  const { add, dropped, queue, said } = queueWith({ batch: 2, waiting: 4, tries: 1 }, 100)
  collector.behave('silent')
  for (let at = 0; at < 20; at += 1) add()
  // Two are on their way, four wait.
  assert.equal(dropped['queue'], 14)
  await eventually('all are given up', () => dropped['collector'] === 6)
  assert.deepEqual(said, ['it did not answer in time'])
  await queue.stop(60_000)
})

test('a stop sends what waits, and leaves a collector that never answers behind', async () => {
  const last = queueWith({ gatherMs: 3_600_000 })
  last.add()
  await last.queue.stop(60_000)
  assert.equal(last.exported(), 1)

  const silent = queueWith({ gatherMs: 3_600_000 })
  collector.behave('silent')
  silent.add()
  await silent.queue.stop(1)
  silent.add()
  assert.equal(silent.dropped['queue'], 1)
})

test('a collector that does not listen is reported by the code of the system', async () => {
  await collector.close()
  const { add, dropped, queue, said } = queueWith({ tries: 1 })
  add()
  await eventually('the span is dropped', () => dropped['collector'] === 1)
  await queue.stop(60_000)
  await collector.open()
  assert.deepEqual(said, ['ECONNREFUSED'])
})
