import { createCollector } from '../../packages/gateway/src/adapters/traces/collector.ts'
import { encodeTraces } from '../../packages/gateway/src/adapters/traces/otlp-json.ts'
import { createSpanQueue } from '../../packages/gateway/src/adapters/traces/span-queue.ts'
import { spansOf } from '../../packages/gateway/src/adapters/traces/trace.ts'
import { createTracer } from '../../packages/gateway/src/adapters/traces/tracer.ts'
import type { RequestLogEntry } from '../../packages/gateway/src/usecases/audit/request-log.ts'

const ENTRY: RequestLogEntry = {
  requestId: 701_234n,
  receivedAt: new Date(0),
  merchantId: 1n,
  siteId: 1001n,
  username: '',
  address: '',
  action: 'CCAUTHCAP',
  parameters: '',
  httpStatus: 200,
  apiCode: '0',
  serviceCode: 100,
  refField: '',
  state: 'APPROVED',
  orderId: 601_234n,
  transactionId: 801_234n,
  tookMs: 20,
}
const BANK_FACTS = {
  facts: {
    'tollgate.link': 'the bundled bank',
    'tollgate.mti': '0100',
    'tollgate.message': '901234',
    'tollgate.retrieval_reference': '633216901235',
    'tollgate.outcome': 'approved',
    'tollgate.response_code': '00',
  },
  failed: false,
}
const AT_ONCE = 64
/** Spans that are recorded, and not taken by the collector. */
const MOST_OPEN = 8_192

/** Records the spans of a sale as the gateway does, with calls that do nothing. */
export interface RecordedSales {
  /** Processor time of this process for each sale, in microseconds: recorded, encoded and sent. */
  measure(sales: number): Promise<number>
}

/** @param url the collector, a process of its own; null: the same calls without a recorder. */
export function createRecordedSales(url: string | null): RecordedSales {
  let open = 0
  let onTaken: () => void = () => undefined
  const queue =
    url === null
      ? null
      : createSpanQueue({
          collector: createCollector(url, 10_000),
          encode: (traces) =>
            encodeTraces(traces, Date.now() - performance.now(), {
              resource: { 'service.name': 'tollgate', 'process.pid': process.pid },
              actions: new Set(['CCAUTHCAP']),
            }),
          monotonicMs: () => performance.now(),
          counts: {
            exported(spans) {
              open -= spans
              onTaken()
            },
            dropped: fail,
          },
          onTrouble: fail,
          onRecovery: () => undefined,
        })
  const tracer = createTracer({
    ratio: 1,
    monotonicMs: () => performance.now(),
    onEnd(trace) {
      open += spansOf(trace)
      queue?.add(trace)
    },
  })
  const call = async (name: string): Promise<void> => {
    if (queue === null) return nothing()
    return name === 'ask the bank'
      ? tracer.call(name, nothing, () => BANK_FACTS)
      : tracer.call(name, nothing)
  }
  const steps = async (): Promise<void> => {
    await call('log in')
    if (queue !== null) tracer.step('seal card', () => undefined)
    for (const name of ['write intent', 'ask the bank', 'write outcome']) await call(name)
    if (queue !== null) tracer.note(ENTRY)
  }
  const sale = async (): Promise<void> => {
    if (queue === null) return steps()
    const trace = tracer.begin(undefined)
    await tracer.within(trace, steps)
    tracer.end(trace, 200)
  }
  return {
    async measure(sales) {
      const before = process.cpuUsage()
      for (let done = 0; done < sales; done += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, sale))
        // The collector's answers arrive.
        await new Promise((resolve) => setImmediate(resolve))
        while (open > MOST_OPEN) await new Promise<void>((resolve) => (onTaken = resolve))
      }
      const { system, user } = process.cpuUsage(before)
      return (system + user) / sales
    },
  }
}

function nothing(): Promise<void> {
  return Promise.resolve()
}

function fail(...what: readonly unknown[]): void {
  throw new Error(`The collector did not keep up: ${what.join(' ')}.`)
}
