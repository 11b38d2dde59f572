import { AsyncLocalStorage } from 'node:async_hooks'
import type { Trace } from './trace.ts'

/** The trace of the request or job that runs now. */
export const currentTrace = new AsyncLocalStorage<Trace>()

const NO_FIELDS = {}

/** The fields of a log line within a trace. Work that outlives its request has none. */
export function traceFields(): { readonly trace_id?: string } {
  const trace = currentTrace.getStore()
  return trace === undefined || trace.endMs !== null ? NO_FIELDS : { trace_id: trace.id }
}
