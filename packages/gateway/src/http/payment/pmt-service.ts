import type { FastifyInstance } from 'fastify'
import { formAddress, type FormAddressDeps } from './form-address.ts'
import { refusalAnswer } from './refusal-record.ts'
import { respond, type RespondDeps } from './respond.ts'

export { BODY_LIMIT_BYTES } from './form-address.ts'

export interface PmtServiceDeps extends RespondDeps, FormAddressDeps {}

export const PAYMENT_PATH = '/payment/pmt_service.cfm'

/** The address of every transaction, health and membership action; it holds none of their rules. */
export function pmtService(app: FastifyInstance, deps: PmtServiceDeps): void {
  formAddress(app, deps, {
    path: PAYMENT_PATH,
    format: 'XML',
    action: null,
    respond: (form, requestId, echo, address) => respond(deps, form, requestId, echo, address),
    refuse: refusalAnswer,
  })
}
