import type { RequestLogEntry } from '../../usecases/audit/request-log.ts'

/** Ids, codes and numbers. Never a text of a request, card data or personal data. */
export type Facts = Readonly<Record<string, string | number>>

/** One step of a trace: a span below that of the request or job. */
export interface Step {
  readonly name: string
  /** Whether it waits for another system. */
  readonly isCall: boolean
  /** By the monotonic clock, in milliseconds, like every time here. */
  readonly startMs: number
  /** Null while it runs. */
  endMs: number | null
  facts: Facts | null
  failed: boolean
}

/** One request or job, with its steps. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly id: string
  /** 16 hexadecimal digits, of which the last two are 00: the steps count there. */
  readonly spanId: string
  /** The span of the sender; null without one. */
  readonly parentId: string | null
  /** False: only its id is known, for the log. */
  readonly isSampled: boolean
  readonly kind: 'request' | 'job'
  readonly name: string
  readonly startMs: number
  /** Null while it runs. */
  endMs: number | null
  /** Facts of a job: what is known at its start, and its end. */
  readonly facts: Facts
  readonly steps: Step[]
  /** The entry of a request in the request log; null until then. */
  entry: RequestLogEntry | null
  /** The status of the answer; null for a job. */
  httpStatus: number | null
}

/** A request that polls would have hundreds; two hexadecimal digits count them. */
export const MOST_STEPS = 100

/** The spans that a trace becomes: itself, its steps, and the parts of a request between them. */
export function spansOf({ kind, steps }: Trace): number {
  const parts = kind === 'job' || steps.length === 0 ? 0 : Math.min(steps.length + 1, 3)
  return 1 + steps.length + parts
}
