import type { Collector, Delivery } from './collector.ts'
import { spansOf, type Trace } from './trace.ts'

export interface SpanQueueOptions {
  readonly collector: Collector
  readonly encode: (traces: readonly Trace[]) => string
  readonly monotonicMs: () => number
  readonly counts: {
    readonly exported: (spans: number) => void
    /** `queue`: no room; `collector`: it was away for too long; `refused`: it did not take them. */
    readonly dropped: (why: 'queue' | 'collector' | 'refused', spans: number) => void
  }
  /** At once, then once in a while. `dropped`: spans that were dropped since the start. */
  readonly onTrouble: (reason: string, dropped: number) => void
  readonly onRecovery: () => void
  readonly limits?: Partial<SpanQueueLimits>
}

export interface SpanQueueLimits {
  /** So many spans are sent without a wait. */
  readonly batch: number
  /** More are dropped. */
  readonly waiting: number
  /** How long fewer spans than a batch wait. */
  readonly gatherMs: number
  /** The wait after the first failure. It doubles. */
  readonly againMs: number
  readonly tries: number
  readonly reportEveryMs: number
}

const LIMITS: SpanQueueLimits = {
  batch: 512,
  waiting: 16_384,
  gatherMs: 1_000,
  againMs: 1_000,
  tries: 6,
  reportEveryMs: 60_000,
}

/** Ended traces on their way to the collector. */
export interface SpanQueue {
  /** Never waits, and never throws. */
  add(trace: Trace): void
  /** Sends what waits, once and for a short time, and drops the rest. */
  stop(limitMs: number): Promise<void>
}

export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  const { collector, counts, encode, monotonicMs } = options
  const limits = { ...LIMITS, ...options.limits }
  const stopping = new AbortController()
  let waiting: Trace[] = []
  let waitingSpans = 0
  let droppedSpans = 0
  let sending: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let reportedAt: number | null = null

  function drop(why: 'queue' | 'collector' | 'refused', spans: number): void {
    droppedSpans += spans
    counts.dropped(why, spans)
  }

  function report(reason: string): void {
    const now = monotonicMs()
    if (reportedAt !== null && now - reportedAt < limits.reportEveryMs) return
    reportedAt = now
    options.onTrouble(reason, droppedSpans)
  }

  /** The traces of the next batch, and how many spans they are. */
  function take(): { readonly traces: readonly Trace[]; readonly spans: number } {
    let spans = 0
    let count = 0
    for (const trace of waiting) {
      if (count > 0 && spans >= limits.batch) break
      spans += spansOf(trace)
      count += 1
    }
    const traces = waiting.slice(0, count)
    waiting = waiting.slice(count)
    waitingSpans -= spans
    return { traces, spans }
  }

  function send(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    sending ??= sendAll().finally(() => {
      sending = null
      if (waiting.length > 0 && !stopping.signal.aborted) plan()
    })
  }

  function plan(): void {
    if (waitingSpans >= limits.batch) send()
    else timer ??= setTimeout(send, limits.gatherMs).unref()
  }

  async function sendAll(): Promise<void> {
    do {
      const { spans, traces } = take()
      await deliver(encode(traces), spans)
    } while (waitingSpans >= limits.batch || (stopping.signal.aborted && waiting.length > 0))
  }

  async function deliver(body: string, spans: number): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const delivery = await collector.send(body)
      if (delivery.kind === 'accepted') return accept(spans, delivery.rejected)
      if (delivery.kind === 'refused' || tries >= limits.tries || stopping.signal.aborted) {
        drop(delivery.kind === 'refused' ? 'refused' : 'collector', spans)
        return report(delivery.reason)
      }
      report(delivery.reason)
      await pause(waitAfter(delivery, tries))
    }
  }

  function accept(spans: number, rejected: number): void {
    counts.exported(spans - Math.min(rejected, spans))
    if (rejected > 0) {
      drop('refused', Math.min(rejected, spans))
      report('it rejected spans')
    } else if (reportedAt !== null) {
      reportedAt = null
      options.onRecovery()
    }
  }

  function waitAfter({ afterMs }: Extract<Delivery, { kind: 'again' }>, tries: number): number {
    return afterMs ?? limits.againMs * 2 ** (tries - 1)
  }

  /** A stop ends the wait. */
  function pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (stopping.signal.aborted) return Promise.resolve()
    const wait = setTimeout(resolve, ms).unref()
    stopping.signal.addEventListener('abort', () => (clearTimeout(wait), resolve()), { once: true })
    return promise
  }

  return {
    add(trace) {
      const spans = spansOf(trace)
      if (waitingSpans + spans > limits.waiting || stopping.signal.aborted) {
        return drop('queue', spans)
      }
      waiting.push(trace)
      waitingSpans += spans
      if (sending === null) plan()
    },
    async stop(limitMs) {
      stopping.abort()
      if (waiting.length > 0) send()
      const limit = Promise.withResolvers<void>()
      const end = setTimeout(limit.resolve, limitMs)
      await Promise.race([sending ?? Promise.resolve(), limit.promise])
      clearTimeout(end)
      if (waiting.length > 0) drop('collector', waitingSpans)
      waiting = []
      waitingSpans = 0
      collector.close()
    },
  }
}
