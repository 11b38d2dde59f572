import type { FastifyInstance } from 'fastify'
import { traceRequests, type RequestTraces } from '../servers/traced-requests.ts'
import type { FairTurns } from './fair-turns.ts'
import type { FormAddressDeps } from './form-address.ts'
import { merchantAddress } from './merchant-address.ts'
import { refusalAnswer } from './refusal-record.ts'
import { respond, type RespondDeps } from './respond.ts'
import { createOnceNames } from './sandbox-test.ts'

export interface PmtServiceDeps extends Omit<RespondDeps, 'onceNames'>, FormAddressDeps {
  readonly turns: FairTurns<bigint>
  /** Null: no traces are recorded. */
  readonly traces: RequestTraces | null
}

export const PAYMENT_PATH = '/payment/pmt_service.cfm'

/** The address of every transaction, health and membership action; it holds none of their rules. */
export function pmtService(app: FastifyInstance, deps: PmtServiceDeps): void {
  if (deps.traces !== null) traceRequests(app, deps.traces)
  const own = { ...deps, onceNames: createOnceNames() }
  const hasRoom = (merchantId: bigint): boolean => !deps.turns.isFull(merchantId)
  merchantAddress(app, deps, {
    path: PAYMENT_PATH,
    format: 'XML',
    action: null,
    respond: (form, requestId, address) => respond(own, form, requestId, address),
    roomOf: () => (deps.turns.isCrowded() ? hasRoom : null),
    refuse: refusalAnswer,
  })
}
