import type { FastifyInstance } from 'fastify'
import { findOperation } from './actions.ts'
import type { Answer } from './answer.ts'
import type { FormAddressDeps } from './form-address.ts'
import type { Form } from './form.ts'
import { merchantAddress } from './merchant-address.ts'
import { refusalAnswer } from './refusal-record.ts'
import { respond, type RespondDeps } from './respond.ts'
import { threeDsWarnings } from './three-ds-request.ts'

export interface PmtServiceDeps extends RespondDeps, FormAddressDeps {}

export const PAYMENT_PATH = '/payment/pmt_service.cfm'

/** The address of every transaction, health and membership action; it holds none of their rules. */
export function pmtService(app: FastifyInstance, deps: PmtServiceDeps): void {
  merchantAddress(app, deps, {
    path: PAYMENT_PATH,
    format: 'XML',
    action: null,
    respond: (form, requestId, echo, address) => respond(deps, form, requestId, echo, address),
    refuse: refusalAnswer,
    warnings: warningsOf,
  })
}

/** What the merchant was not told, by contract, of a payment that was taken. */
function warningsOf(params: Form['params'], { summary }: Answer): string[] {
  const operation = summary.transactionId === null ? null : findOperation(params)
  return operation === 'authorize' || operation === 'sale' ? threeDsWarnings(params) : []
}
