import { randomFillSync } from 'node:crypto'

const TRACE_BYTES = 16
const SPAN_BYTES = 7

/** Random ids in hexadecimal digits. */
export interface TraceIds {
  /** 32 digits. */
  trace(): string
  /** 14 digits: two more distinguish the spans of a trace. */
  spanPrefix(): string
}

/** Random bytes are drawn in bulk: one call for each id costs more than the rest of a trace. */
export function createTraceIds(): TraceIds {
  const pool = Buffer.alloc(4_096)
  let used = pool.length
  function take(bytes: number): string {
    if (used + bytes > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    used += bytes
    return pool.toString('hex', used - bytes, used)
  }
  return { trace: () => take(TRACE_BYTES), spanPrefix: () => take(SPAN_BYTES) }
}

/**
 * Whether a trace is recorded at this ratio. The last 14 digits decide, so that all nodes and other
 * programs with this rule keep the same traces.
 * @param ratio from 0 to 1
 */
export function isKept(traceId: string, ratio: number): boolean {
  return ratio >= 1 || Number.parseInt(traceId.slice(-14), 16) < ratio * 2 ** 56
}
