import type { FastifyRequest } from 'fastify'
import { maskFaultText } from './masking.ts'

/** For operators: where it broke, without any value that came with the request. */
export function logFault(request: FastifyRequest, error: unknown, requestId: bigint | null): void {
  const fault = error instanceof Error ? error : new Error('Something that is no error was thrown.')
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined
  request.log.error(
    {
      requestId: requestId === null ? null : String(requestId),
      fault: fault.name,
      code,
      reason: maskFaultText(fault.message),
      // The stack repeats the message in its first lines; only the places are kept.
      stack: fault.stack?.split('\n').filter((line) => /^ +at /.test(line)),
    },
    'A request ended in a fault of the gateway. The merchant was told API 120 and this request id.',
  )
}
