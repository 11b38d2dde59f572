import { LogController } from 'fastify'
import { randomBytes } from 'node:crypto'

/** The header with the id of a request, in every answer to a request that could be read. */
export const REQUEST_ID_HEADER = 'tollgate-request-id'

/** The field of a log line with that id. */
const REQUEST_ID_FIELD = 'request_id'

const PROCESS_BYTES = 6

/** Options of a server: requests have ids of our own in its log, and no lines by themselves. */
export function namedRequests() {
  return {
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: REQUEST_ID_FIELD,
    }),
    requestIdHeader: false as const,
    genReqId: createRequestIds(),
  }
}

/**
 * Ids of requests: random for the process, and a count. No two processes or starts share one, and
 * an id costs a payment no randomness. The random part has letters only, because logs cut down
 * digits that look like a card number.
 */
function createRequestIds(): () => string {
  const random = randomBytes(PROCESS_BYTES).toString('hex')
  const process = random.replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))
  let count = 0
  return () => `${process}-${(count += 1).toString(36)}`
}
