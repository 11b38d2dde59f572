import type { RequestLogEntry } from '../../usecases/audit/request-log.ts'
import { currentTrace } from './current-trace.ts'
import { createTraceIds, isKept } from './trace-ids.ts'
import { MOST_STEPS, type Facts, type Step, type Trace } from './trace.ts'
import { readTraceParent } from './traceparent.ts'

export interface TracerOptions {
  /** The part of all traces that are recorded, from 0 to 1. */
  readonly ratio: number
  readonly monotonicMs: () => number
  /** Takes each recorded trace when it has ended. It must not throw. */
  readonly onEnd: (trace: Trace) => void
}

/** Records requests and jobs with their steps. */
export interface Tracer {
  /** Begins the trace of a request. `traceparent`: the header as it came. */
  begin(traceparent: unknown): Trace
  /** Runs work, and all that follows from it, as a part of the trace. */
  within<Done>(trace: Trace, work: () => Done): Done
  end(trace: Trace, httpStatus: number): void
  /** Keeps what the log says of the request that runs now. */
  note(entry: RequestLogEntry): void
  /** Records a call of the trace that runs now. Without one, it only makes the call. */
  call<Done>(name: string, work: () => Promise<Done>, factsOf?: FactsOf<Done>): Promise<Done>
  /** The same for work of this process. */
  step<Done>(name: string, work: () => Done): Done
  /** Records a job as a trace of its own. */
  job<Done>(name: string, facts: Facts, work: () => Promise<Done>): Promise<Done>
}

type FactsOf<Done> = (done: Done) => { readonly facts: Facts; readonly failed: boolean }

export function createTracer({ ratio, monotonicMs, onEnd }: TracerOptions): Tracer {
  const ids = createTraceIds()

  function create(kind: Trace['kind'], name: string, facts: Facts, traceparent: unknown): Trace {
    const parent = traceparent === undefined ? null : readTraceParent(traceparent)
    const id = parent?.traceId ?? ids.trace()
    return {
      id,
      spanId: `${ids.spanPrefix()}00`,
      parentId: parent?.spanId ?? null,
      isSampled: isKept(id, ratio),
      kind,
      name,
      startMs: monotonicMs(),
      endMs: null,
      facts,
      steps: [],
      entry: null,
      httpStatus: null,
    }
  }

  /** Null where nothing is recorded. */
  function beginStep(name: string, isCall: boolean): Step | null {
    const trace = currentTrace.getStore()
    if (trace?.isSampled !== true || trace.endMs !== null) return null
    if (trace.steps.length >= MOST_STEPS) return null
    const step: Step = {
      name,
      isCall,
      startMs: monotonicMs(),
      endMs: null,
      facts: null,
      failed: false,
    }
    trace.steps.push(step)
    return step
  }

  function finish(trace: Trace): void {
    trace.endMs = monotonicMs()
    if (trace.isSampled) onEnd(trace)
  }

  async function recorded<Done>(
    step: Step,
    work: () => Promise<Done>,
    factsOf?: FactsOf<Done>,
  ): Promise<Done> {
    try {
      const done = await work()
      if (factsOf !== undefined) Object.assign(step, factsOf(done))
      return done
    } catch (error) {
      step.failed = true
      throw error
    } finally {
      step.endMs = monotonicMs()
    }
  }

  return {
    begin: (traceparent) => create('request', 'request', {}, traceparent),
    within: (trace, work) => currentTrace.run(trace, work),
    end(trace, httpStatus) {
      trace.httpStatus = httpStatus
      finish(trace)
    },
    note(entry) {
      const trace = currentTrace.getStore()
      if (trace !== undefined) trace.entry = entry
    },
    call(name, work, factsOf) {
      const step = beginStep(name, true)
      return step === null ? work() : recorded(step, work, factsOf)
    },
    step(name, work) {
      const step = beginStep(name, false)
      if (step === null) return work()
      try {
        return work()
      } finally {
        step.endMs = monotonicMs()
      }
    },
    async job(name, facts, work) {
      const trace = create('job', name, facts, undefined)
      try {
        return await currentTrace.run(trace, work)
      } finally {
        finish(trace)
      }
    },
  }
}
