import { maskFaultText } from '../../base/card-masking.ts'

/** The operators' record of an unforeseen error. */
export interface FaultRecord {
  readonly fault: string
  readonly code: string | undefined
  readonly reason: string
  readonly stack: readonly string[] | undefined
}

/**
 * The place of an error, without any value that came with a request. Node's own rendering shows
 * every property and cause of an error. Those of a database error quote the row that failed.
 */
export function describeFault(error: unknown): FaultRecord {
  const fault = error instanceof Error ? error : new Error('Something that is no error was thrown.')
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined
  return {
    fault: fault.name,
    code,
    reason: maskFaultText(fault.message),
    // The stack repeats the message in its first lines; only the places are kept.
    stack: fault.stack?.split('\n').filter((line) => /^ +at /.test(line)),
  }
}
