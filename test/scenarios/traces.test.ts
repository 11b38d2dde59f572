import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { read } from '../house/source-text.ts'
import { eventually } from '../support/eventually.ts'
import { payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { startMembership } from '../support/renewals.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { operation } from '../support/sandbox-operations.ts'
import {
  startTraceCollector,
  type CollectedSpan,
  type TraceCollector,
} from '../support/trace-collector.ts'

let collector: TraceCollector
let gateway: RunningGateway
before(async () => {
  collector = await startTraceCollector()
  gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '2000', TRACES_URL: collector.url })
})
after(async () => {
  await gateway.stop()
  await collector.close()
})

const SERVER = 2
const CLIENT = 3

const namesOf = (spans: readonly CollectedSpan[]): string[] => spans.map(({ name }) => name)

/** The only span of a trace with this name. */
function spanNamed(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const [found, ...more] = spans.filter((span) => span.name === name)
  assert.ok(found !== undefined && more.length === 0, `one span "${name}": ${namesOf(spans)}`)
  return found
}

test('a sale is one trace: a span for its request, and one below it for each step', async () => {
  const answer = await gateway.client().sale(payment('12.00'))
  assert.equal(answer.status, 'APPROVED')

  const spans = await collector.untilTrace('tollgate.order_id', String(answer.orderId))
  const [first, ...steps] = spans
  assert.ok(first !== undefined)
  assert.equal(first.name, 'CCAUTHCAP')
  assert.equal(first.kind, SERVER)
  assert.equal(first.parentId, null)
  assert.equal(first.failed, false)
  const { 'tollgate.request_id': requestId, ...facts } = first.facts
  assert.match(requestId ?? '', /^\d+$/)
  assert.deepEqual(facts, {
    'http.response.status_code': '200',
    'tollgate.action': 'CCAUTHCAP',
    'tollgate.api_code': '0',
    'tollgate.service_code': '100',
    'tollgate.state': 'APPROVED',
    'tollgate.merchant_id': '1',
    'tollgate.site_id': '1001',
    'tollgate.order_id': String(answer.orderId),
    'tollgate.transaction_id': String(answer.transactionId),
  })
  const inTime = steps.toSorted((left, right) => Number(left.startNano - right.startNano))
  assert.deepEqual(namesOf(inTime), [
    'read form',
    'log in',
    'check rules',
    'seal card',
    'write intent',
    'ask the bank',
    'write outcome',
    'answer',
  ])
  for (const step of steps) {
    assert.equal(step.parentId, first.spanId, step.name)
    assert.ok(step.startNano >= first.startNano && step.endNano <= first.endNano, step.name)
    assert.ok(step.startNano <= step.endNano, step.name)
  }
  const bank = spanNamed(steps, 'ask the bank')
  assert.equal(bank.kind, CLIENT)
  const { 'tollgate.message': message, 'tollgate.retrieval_reference': rrn, ...said } = bank.facts
  assert.match(`${message} ${rrn}`, /^\d+ \d{12}$/)
  assert.deepEqual(said, {
    'tollgate.link': 'the bundled bank',
    'tollgate.mti': '0100',
    'tollgate.outcome': 'approved',
    'tollgate.response_code': '00',
  })
  const now = BigInt(Date.now()) * 1_000_000n
  assert.ok(first.endNano > now - 60_000_000_000n && first.endNano < now + 1_000_000_000n)
})

test('a decline is traced with the code of the bank, and a refused login without a merchant', async () => {
  const declined = await gateway.client().sale(payment('9000.51'))
  assert.equal(declined.status, 'DECLINED')
  const spans = await collector.untilTrace('tollgate.order_id', String(declined.orderId))
  assert.equal(spans[0]?.facts['tollgate.state'], 'DECLINED')
  assert.equal(spans[0]?.facts['tollgate.service_code'], '635')
  assert.equal(spans[0]?.failed, false)
  assert.equal(spanNamed(spans, 'ask the bank').facts['tollgate.response_code'], '51')

  const wrong = { ...credentials(), REQUEST_ACTION: 'TESTAUTH', REQ_PASSWORD: 'wrong' }
  await send(wrong, parentOf('1'))
  const login = await collector.untilTrace('tollgate.api_code', '101')
  assert.deepEqual(namesOf(login), ['TESTAUTH', 'log in', 'read form', 'answer'])
  const facts = login[0]?.facts ?? {}
  assert.equal(facts['tollgate.merchant_id'] ?? facts['tollgate.site_id'], undefined)
})

test('a lost answer of the bank fails its step, and the reversal is a trace that names the same message', async () => {
  const lost = await gateway.client().authorize(payment('9101.02'))
  assert.equal(lost.status, 'FAILED')
  const spans = await collector.untilTrace('tollgate.order_id', String(lost.orderId))
  assert.equal(spans[0]?.failed, true)
  const bank = spanNamed(spans, 'ask the bank')
  assert.equal(bank.failed, true)
  assert.equal(bank.facts['tollgate.outcome'], 'unknown')
  assert.equal(bank.facts['tollgate.reason'], 'timeout')
  const { 'tollgate.message': message = '', 'tollgate.retrieval_reference': rrn } = bank.facts
  assert.equal(spanNamed(spans, 'write outcome').failed, false)

  await untilNoAdviceIsQueued(gateway)
  const [job, ...steps] = await collector.untilTrace('tollgate.original_message', message)
  assert.equal(job?.name, 'deliver reversal')
  assert.equal(job.parentId, null)
  assert.equal(job.facts['tollgate.tries'], '1')
  assert.deepEqual(namesOf(steps), ['send advice', 'write outcome'])
  const advice = spanNamed(steps, 'send advice').facts
  assert.equal(advice['tollgate.mti'], '0420')
  assert.equal(advice['tollgate.outcome'], 'acknowledged')
  assert.equal(advice['tollgate.retrieval_reference'], rrn)
  assert.ok(steps.every(({ parentId }) => parentId === job.spanId))
})

test('a renewal is a trace of its own, with the steps of its payment', async () => {
  const dueAt = new Date(Date.now() + 9 * 86_400_000)
  const { id } = await startMembership(gateway, { dueAt })
  const charged = await operation(gateway, 'charge-membership', { membership: id })
  assert.equal(charged['outcome'], 'approved')

  const [job, ...steps] = await collector.untilTrace('tollgate.membership_id', id)
  assert.equal(job?.name, 'renew membership')
  assert.equal(job.parentId, null)
  assert.equal(job.facts['tollgate.order_id'], String(charged['order']))
  assert.equal(job.facts['tollgate.attempt'], '1')
  assert.equal(job.facts['tollgate.renewal'], 'approved')
  assert.deepEqual(
    namesOf(steps).filter((name) => name !== 'check reference' && name !== 'find card'),
    ['open card', 'write intent', 'ask the bank', 'write outcome'],
  )
  assert.ok(steps.every(({ parentId }) => parentId === job.spanId))
})

test('a trace goes on that of its sender, and the log names it beside the request', async () => {
  await gateway.pool.query('alter table order_claims rename to order_claims_away')
  const form = { REQUEST_ACTION: 'CCAUTHORIZE', XTL_ORDER_ID: 'traced', UNIQUE_XTL_ORDER_ID: '1' }
  const paid = { PMT_NUMB: '4111111111111111', PMT_EXPIRY: '122040', LI_VALUE_1: '1.00' }
  const answer = await send({ ...credentials(), ...form, ...paid }, parentOf('2'))
  await gateway.pool.query('alter table order_claims_away rename to order_claims')

  const id = answer.headers.get('tollgate-request-id')
  const line = gateway
    .logged()
    .split('\n')
    .find((each) => each.includes(`"request_id":"${id}"`))
  assert.ok(line?.includes(`"trace_id":"${TRACE_ID}2"`), `the line is ${line}`)
  const spans = await eventually('the trace is exported', () => {
    const found = collector.spans().filter(({ traceId }) => traceId === `${TRACE_ID}2`)
    return found.length > 0 && found
  })
  assert.equal(spans[0]?.parentId, PARENT_ID)
  assert.equal(spans[0].facts['tollgate.api_code'], '120')
  assert.equal(spans[0].failed, true)
  assert.equal(spanNamed(spans, 'check reference').failed, true)
})

test('the steps of a request whose body comes after its head belong to its trace', async () => {
  const body = new URLSearchParams({ ...credentials(), REQUEST_ACTION: 'TESTGW' }).toString()
  const late = request(new URL('/payment/pmt_service.cfm', gateway.baseUrl), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': body.length,
      traceparent: parentOf('3'),
      expect: '100-continue',
    },
  })
  late.flushHeaders()
  await once(late, 'continue')
  late.end(body)
  const [response] = (await once(late, 'response')) as [IncomingMessage]
  response.resume()
  const spans = await collector.untilTrace('tollgate.action', 'TESTGW')
  assert.deepEqual(namesOf(spans), ['TESTGW', 'log in', 'read form', 'answer'])
})

test('a collector that is away costs no payment, is in the log once, and is used again', async () => {
  const away = 'the collector of TRACES_URL takes no spans'
  const timesLogged = (what: string): number => gateway.logged().split(what).length - 1
  await collector.close()
  for (const amount of ['1.00', '2.00', '3.00']) {
    const answer = await gateway.client().sale(payment(amount))
    assert.equal(answer.status, 'APPROVED')
  }
  await eventually('the log names the trouble', () => timesLogged(away) > 0)
  await collector.open()
  const later = await gateway.client().sale(payment('4.00'))
  await collector.untilTrace('tollgate.order_id', String(later.orderId))

  assert.equal(timesLogged(away), 1)
  assert.equal(timesLogged('the collector of TRACES_URL takes spans again'), 1)
  const metrics = await gateway.metrics()
  assert.match(metrics, /^tollgate_trace_spans_dropped_total\{why="collector"\} 0$/m)
  assert.match(metrics, /^tollgate_trace_spans_exported_total [1-9]\d*$/m)
})

test('the page of traces lists every name of a span and of an attribute', () => {
  const page = read('docs/operators/traces.md')
  const names = collector.spans().flatMap(({ facts, name }) => [name, ...Object.keys(facts)])
  const isAction = (name: string): boolean => /^(CC|TEST)[A-Z]+$/.test(name)
  const missing = new Set(names.filter((name) => !isAction(name) && !page.includes(`\`${name}\``)))
  assert.deepEqual([...missing], [])
})

const TRACE_ID = 'aaaabbbbccccddddeeeeffffaaaabbb'
const PARENT_ID = 'abcdefabcdefabcd'
const parentOf = (digit: string): string => `00-${TRACE_ID}${digit}-${PARENT_ID}-00`

function send(form: Record<string, string>, traceparent: string): Promise<Response> {
  return fetch(new URL('/payment/pmt_service.cfm', gateway.baseUrl), {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { traceparent },
  })
}
