import type { FastifyInstance } from 'fastify'
import type { Refusal } from '../../base/refusal.ts'
import { SANDBOX_OPERATIONS, type OperationName } from '../../domain/sandbox/sandbox-operation.ts'
import type { PerformOperation } from '../../usecases/sandbox/perform-operation.ts'
import { readOperation } from './operation-request.ts'
import {
  fault,
  GATE_REFUSALS,
  sandboxAddresses,
  type SandboxAnswer,
  type SandboxGateDeps,
} from './sandbox-gate.ts'

export interface OperationServiceDeps extends SandboxGateDeps {
  readonly performOperation: PerformOperation
}

export const OPERATIONS_PATH = '/sandbox/operations'
export const OPERATION_NAMES = Object.keys(SANDBOX_OPERATIONS) as readonly OperationName[]

const KINDS: Readonly<Record<Refusal['kind'], readonly [code: string, status: number]>> = {
  invalid: ['invalid', 400],
  forbidden: ['forbidden', 403],
  missing: ['not_found', 404],
  conflict: ['conflict', 409],
  locked: ['locked', 409],
}

/** The codes of refusals that say more than their kind. */
const OWN_CODES: Readonly<Record<string, number>> = {
  live_site: 403,
  nothing_to_close: 409,
  nothing_to_settle: 409,
  nothing_to_expire: 409,
  nothing_to_charge: 409,
  bank_refused: 409,
  file_refused: 409,
  agreeing: 409,
  importing: 409,
  recording: 409,
  charging: 409,
  bank_away: 503,
}

/** Every code of a refusal and its HTTP status, as docs/integrators/sandbox-operations.md lists. */
export function operationRefusals(): ReadonlyMap<string, number> {
  const kinds = [KINDS.invalid, KINDS.missing, KINDS.conflict]
  return new Map([...Object.entries(GATE_REFUSALS), ...kinds, ...Object.entries(OWN_CODES)])
}

/** Operations of the bank, of issuers and of time at a test site, for integrators. */
export function operationService(app: FastifyInstance, deps: OperationServiceDeps): void {
  const serve = sandboxAddresses(app, deps, 'the order or the batch')
  for (const name of OPERATION_NAMES) {
    serve(`${OPERATIONS_PATH}/${name}`, async ({ body, site, user }): Promise<SandboxAnswer> => {
      const by = { actor: `api:${user.username}` }
      const done = await deps.performOperation(site, readOperation(name, body), by)
      if (!done.ok) return refusalOf(done)
      return { status: 200, body: { site: Number(site.id), operation: name, ...done.report } }
    })
  }
}

function refusalOf({ code: own, faults, field = '', kind }: Refusal): SandboxAnswer {
  const [code, status] = KINDS[kind]
  return fault(OWN_CODES[own ?? ''] ?? status, field, own ?? code, faults.join(' '))
}
