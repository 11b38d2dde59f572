import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { traceFields } from '../../../src/adapters/traces/current-trace.ts'
import { encodeTraces } from '../../../src/adapters/traces/otlp-json.ts'
import { MOST_STEPS, spansOf, type Trace } from '../../../src/adapters/traces/trace.ts'
import { createTracer } from '../../../src/adapters/traces/tracer.ts'

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

function tracerAt(ratio: number) {
  const ended: Trace[] = []
  const tracer = createTracer({
    ratio,
    monotonicMs: () => performance.now(),
    onEnd: (trace) => ended.push(trace),
  })
  return { tracer, ended }
}

test('a request that is not sampled records nothing, and the log names its trace', async () => {
  const { ended, tracer } = tracerAt(0)
  const trace = tracer.begin(PARENT)
  const fields = await tracer.within(trace, () =>
    tracer.call('log in', () => turn().then(() => traceFields())),
  )
  tracer.end(trace, 200)
  assert.deepEqual(fields, { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' })
  assert.deepEqual([ended, trace.steps], [[], []])
})

test('steps belong to the request that makes them, also when two run at once', async () => {
  const { ended, tracer } = tracerAt(1)
  const both = ['first', 'second'].map(async (name) => {
    const trace = tracer.begin(undefined)
    await tracer.within(trace, async () => {
      await turn()
      await tracer.call(name, () => turn())
    })
    tracer.end(trace, 200)
  })
  await Promise.all(both)
  const steps = ended.map((trace) => trace.steps.map(({ name }) => name))
  assert.deepEqual(steps, [['first'], ['second']])
  assert.notEqual(ended[0]?.id, ended[1]?.id)
})

test('work that outlives its request is no step, and its lines name no trace', async () => {
  const { tracer } = tracerAt(1)
  const trace = tracer.begin(undefined)
  const late = tracer.within(trace, async () => {
    await turn()
    await tracer.call('late', () => turn())
    return traceFields()
  })
  tracer.end(trace, 200)
  assert.deepEqual(await late, {})
  assert.deepEqual(trace.steps, [])
})

test('a request that waits in a loop has no more steps than its trace may have', async () => {
  const { ended, tracer } = tracerAt(1)
  await tracer.job('deliver capture', {}, async () => {
    for (let at = 0; at < MOST_STEPS + 5; at += 1) await tracer.call('check', () => turn())
  })
  const [trace] = ended
  assert.ok(trace !== undefined)
  assert.equal(trace.steps.length, MOST_STEPS)
  const text = encodeTraces([trace], 0, { resource: {}, actions: new Set() })
  const ids = [...text.matchAll(/"spanId":"(\w{16})"/g)].map(([, id]) => id)
  assert.equal(new Set(ids).size, spansOf(trace))
})

test('spans hold no text of a request: neither its action, if that is unknown, nor its field', () => {
  const { ended, tracer } = tracerAt(1)
  const trace = tracer.begin(undefined)
  const entry = {
    requestId: 7n,
    receivedAt: new Date(0),
    merchantId: 3n,
    isUnproven: true,
    siteId: null,
    username: 'the user',
    address: '192.0.2.1',
    action: 'what a shop wrote',
    parameters: '{"NAME":"the name"}',
    httpStatus: 200,
    apiCode: '105',
    serviceCode: 0,
    refField: 'the field',
    state: '',
    orderId: null,
    transactionId: null,
    tookMs: 1,
  }
  tracer.within(trace, () => tracer.note(entry))
  tracer.end(trace, 200)
  const text = encodeTraces(ended, 0, { resource: {}, actions: new Set(['CCAUTHCAP']) })
  assert.doesNotMatch(text, /the user|192\.0|wrote|the name|the field|merchant_id/)
  assert.match(text, /"key":"tollgate\.action","value":\{"stringValue":"other"\}/)
})
