import type { FastifyRequest } from 'fastify'
import { describeFault } from './fault-record.ts'

/** For operators: where it broke, without any value that came with the request. */
export function logFault(request: FastifyRequest, error: unknown, requestId: bigint | null): void {
  request.log.error(
    { requestId: requestId === null ? null : String(requestId), ...describeFault(error) },
    'A request failed with an internal error. The answer was API 120 with this request id.',
  )
}
