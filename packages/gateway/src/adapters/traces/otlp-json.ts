import type { Facts, Step, Trace } from './trace.ts'

/** `SpanKind` and `StatusCode` of OTLP. */
const KIND = { internal: 1, server: 2, client: 3 } as const
/** The API code of an internal error. */
const SYSTEM_ERROR = '120'
const FAILED = ',"status":{"code":2}'

export interface OtlpSource {
  /** Names the process: version of the program, host, process id. */
  readonly resource: Facts
  /** Actions that may be the name of a span. Every other one is unknown. */
  readonly actions: ReadonlySet<string>
}

interface SpanTimes {
  readonly startMs: number
  readonly endMs: number
}

/**
 * The traces as an ExportTraceServiceRequest of OTLP, in its JSON encoding. Written piece by piece:
 * one `JSON.stringify` of objects made for it costs twice as much.
 * @param originMs the time since 1970 at which the monotonic clock was 0, in milliseconds
 */
export function encodeTraces(
  traces: readonly Trace[],
  originMs: number,
  { actions, resource }: OtlpSource,
): string {
  const spans = traces.map((trace) => spansText(trace, originMs, actions)).join(',')
  return (
    `{"resourceSpans":[{"resource":{"attributes":[${attributes(resource)}]},` +
    `"scopeSpans":[{"scope":{"name":"tollgate"},"spans":[${spans}]}]}]}`
  )
}

function spansText(trace: Trace, originMs: number, actions: ReadonlySet<string>): string {
  const { id, kind, parentId, spanId, startMs, endMs, steps } = trace
  const head = `{"traceId":"${id}","spanId":"`
  const parent = parentId === null ? '' : `,"parentSpanId":"${parentId}"`
  const whole = { startMs, endMs: endMs ?? startMs }
  const entry = requestFacts(trace, actions)
  const name = kind === 'request' ? (entry.name ?? trace.name) : trace.name
  const kindNumber = kind === 'request' ? KIND.server : KIND.internal
  const status = isFailed(trace) ? FAILED : ''
  let text =
    `${head}${spanId}"${parent},"name":${JSON.stringify(name)},"kind":${kindNumber}` +
    `${timesText(whole, originMs)},"attributes":[${attributes(entry.facts)}]${status}}`
  const prefix = spanId.slice(0, 14)
  let count = 0
  const add = (step: string, times: SpanTimes, kindOfStep: number, more: string): void => {
    count += 1
    text +=
      `,${head}${prefix}${count.toString(16).padStart(2, '0')}","parentSpanId":"${spanId}"` +
      `,"name":"${step}","kind":${kindOfStep}${timesText(times, originMs)}${more}}`
  }
  for (const step of steps) {
    const { facts, failed, isCall } = step
    const more = facts === null ? '' : `,"attributes":[${attributes(facts)}]`
    const times = { startMs: step.startMs, endMs: step.endMs ?? whole.endMs }
    add(step.name, times, isCall ? KIND.client : KIND.internal, failed ? more + FAILED : more)
  }
  if (kind === 'request') addParts(whole, steps, (part, times) => add(part, times, 1, ''))
  return text
}

/** The parts of a request before, between and after its recorded steps. */
function addParts(
  whole: SpanTimes,
  steps: readonly Step[],
  add: (name: string, times: SpanTimes) => void,
): void {
  const [first, second] = steps
  if (first === undefined) return
  add('read form', { startMs: whole.startMs, endMs: first.startMs })
  if (second !== undefined && first.endMs !== null) {
    add('check rules', { startMs: first.endMs, endMs: second.startMs })
  }
  const lastMs = Math.max(...steps.map(({ endMs }) => endMs ?? whole.endMs))
  add('answer', { startMs: lastMs, endMs: Math.max(lastMs, whole.endMs) })
}

function isFailed({ entry, httpStatus, steps, kind }: Trace): boolean {
  if (kind === 'job') return steps.some(({ failed }) => failed)
  if (entry?.apiCode === SYSTEM_ERROR || entry?.state === 'FAILED') return true
  return (httpStatus ?? 0) >= 500
}

/** The facts of a request: ids, codes and its action, where the gateway knows it. */
function requestFacts(
  { entry, facts, httpStatus }: Trace,
  actions: ReadonlySet<string>,
): { readonly name: string | null; readonly facts: Facts } {
  const said: Record<string, string | number> = { ...facts }
  if (httpStatus !== null) said['http.response.status_code'] = httpStatus
  if (entry === null) return { name: null, facts: said }
  const isKnown = actions.has(entry.action)
  said['tollgate.action'] = isKnown ? entry.action : 'other'
  said['tollgate.request_id'] = entry.requestId.toString()
  said['tollgate.api_code'] = entry.apiCode
  said['tollgate.service_code'] = entry.serviceCode
  if (entry.state !== '') said['tollgate.state'] = entry.state
  // A refused login names any merchant that it wants to.
  if (entry.merchantId !== null && entry.isUnproven !== true) {
    said['tollgate.merchant_id'] = entry.merchantId.toString()
  }
  if (entry.siteId !== null) said['tollgate.site_id'] = entry.siteId.toString()
  if (entry.orderId !== null) said['tollgate.order_id'] = entry.orderId.toString()
  if (entry.transactionId !== null) {
    said['tollgate.transaction_id'] = entry.transactionId.toString()
  }
  return { name: isKnown ? entry.action : null, facts: said }
}

function attributes(facts: Facts): string {
  let text = ''
  for (const key in facts) {
    const value = facts[key]
    if (value === undefined) continue
    const form =
      typeof value === 'number' ? `"intValue":"${value}"` : `"stringValue":${JSON.stringify(value)}`
    text += `${text === '' ? '' : ','}{"key":"${key}","value":{${form}}}`
  }
  return text
}

/** Nanoseconds as text: beyond 2^53, where a number would lose digits. */
function timesText({ startMs, endMs }: SpanTimes, originMs: number): string {
  const start = Math.round((originMs + startMs) * 1_000)
  const end = Math.round((originMs + endMs) * 1_000)
  return `,"startTimeUnixNano":"${start}000","endTimeUnixNano":"${end}000"`
}
