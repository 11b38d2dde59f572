import type { FastifyRequest } from 'fastify'
import { maskText } from '../../base/card-masking.ts'
import type { Clock } from '../../base/clock.ts'
import type { RequestLogEntry } from '../../usecases/audit/request-log.ts'
import { logFault } from '../payment/fault-log.ts'
import { clientAddress } from '../servers/client-address.ts'

/** An answer as the request log has it. */
interface AnsweredRequest {
  readonly merchantId: bigint | null
  readonly parameter: string
  readonly problem: string | null
  readonly status: number
  /** Null where no user was let in. */
  readonly user: { readonly username: string } | null
}

/** A request log that fails takes no answer with it. */
export function keepRequest(
  deps: { readonly clock: Clock; readonly logRequest: (entry: RequestLogEntry) => void },
  request: FastifyRequest,
  logged: Pick<RequestLogEntry, 'requestId' | 'receivedAt' | 'action'>,
  { merchantId, parameter, problem, status, user }: AnsweredRequest,
): void {
  try {
    deps.logRequest({
      ...logged,
      merchantId,
      isUnproven: user === null,
      siteId: null,
      username: user?.username ?? '',
      address: clientAddress(request),
      parameters: user === null ? '{}' : maskedQuery(request),
      httpStatus: status,
      apiCode: problem ?? '',
      serviceCode: 0,
      refField: maskText(parameter),
      state: '',
      orderId: null,
      transactionId: null,
      tookMs: deps.clock.now().getTime() - logged.receivedAt.getTime(),
    })
  } catch (error) {
    logFault(request, error, logged.requestId)
  }
}

function maskedQuery(request: FastifyRequest): string {
  const pairs = [...new URLSearchParams(queryOf(request))]
  return JSON.stringify(
    Object.fromEntries(
      pairs.map(([name, value]) => [maskText(name.slice(0, 64)), maskText(value.slice(0, 200))]),
    ),
  )
}

/** The search part of the address, without its question mark. */
export function queryOf({ url }: FastifyRequest): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}
