import { maskFaultText } from '../../base/card-masking.ts'

/** What operators are told of an error that nobody foresaw. */
export interface FaultRecord {
  readonly fault: string
  readonly code: string | undefined
  readonly reason: string
  readonly stack: readonly string[] | undefined
}

/**
 * Where it broke, without any value that came with a request. Node's own rendering of an error
 * shows every property and cause of it, and those of a database's error quote the row that it
 * choked on.
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
