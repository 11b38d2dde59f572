import {
  FAULT_KINDS,
  MOST_FAULTS,
  type DeliveryFault,
} from '../../domain/webhooks/delivery-faults.ts'
import { assertOnly, SandboxRequestError, type Body } from './sandbox-request.ts'

const MEMBERS = ['kind', 'type', 'share', 'seconds', 'count']
const WHOLE = 100
const DEFAULT_SECONDS = 60

export function readEndpoint({ endpoint }: Body): bigint {
  if (typeof endpoint === 'number' && Number.isSafeInteger(endpoint) && endpoint > 0)
    return BigInt(endpoint)
  throw new SandboxRequestError('endpoint', 'endpoint is missing. Expected the id of an endpoint.')
}

/** The faults that an endpoint is asked to have; the domain judges their numbers. */
export function readFaults({ faults }: Body): readonly DeliveryFault[] {
  if (Array.isArray(faults) && faults.length <= MOST_FAULTS) return faults.map(readFault)
  throw new SandboxRequestError('faults', `faults is no list of at most ${MOST_FAULTS} objects.`)
}

function readFault(fault: unknown): DeliveryFault {
  if (typeof fault !== 'object' || fault === null || Array.isArray(fault))
    throw new SandboxRequestError('faults', 'A fault is no object such as {"kind": "double"}.')
  const given = fault as Body
  assertOnly(given, MEMBERS)
  const kind = FAULT_KINDS.find((one) => one === given['kind'])
  if (kind === undefined)
    throw new SandboxRequestError('kind', `kind is none of ${FAULT_KINDS.join(', ')}.`)
  const { type = '' } = given
  if (typeof type !== 'string') throw new SandboxRequestError('type', 'type is no text.')
  return {
    kind,
    type,
    share: numberOf(given, 'share') ?? WHOLE,
    seconds: numberOf(given, 'seconds') ?? DEFAULT_SECONDS,
    left: numberOf(given, 'count'),
  }
}

/** Null where it is absent. */
export function numberOf(body: Body, name: string): number | null {
  const { [name]: value = null } = body
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value
  throw new SandboxRequestError(name, `${name} is no number.`)
}
