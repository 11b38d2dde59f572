import { Secret } from '../../../base/secret.ts'
import { CardNumber } from '../../../domain/payments/card-number.ts'
import type { SecurityCodeSeal } from '../../../usecases/card-tokens/card-token-store.ts'
import {
  CardUnreadableError,
  VaultUnavailableError,
  type CardPlace,
  type CardVault,
} from '../../../usecases/vault/card-vault.ts'
import type { Reencryption } from '../../../usecases/vault/reencrypt.ts'
import type { PlaceSeal } from '../place-seal.ts'
import type { VaultAnswer, VaultRequest, VaultStatus } from './frames.ts'
import { isGatewayReason, purposeOf, type OpeningLimit } from './policy.ts'

/** Everything that is done with the data keys. */
export interface VaultWork {
  readonly vault: CardVault
  readonly places: PlaceSeal
  readonly codes: SecurityCodeSeal
  readonly reencryption: Reencryption
}

/** The end of a request, for the counters; `purpose` is a reason or a purpose of the policy. */
export interface WorkedRequest {
  readonly operation: VaultRequest['operation']
  readonly purpose: string
  readonly status: VaultStatus
}

export interface WorkerDeps {
  readonly openings: OpeningLimit
  /** Whether an error means that the same request may succeed later. */
  readonly isUnavailable: (error: unknown) => boolean
  /** Called once in a minute in which numbers are refused. */
  readonly onLimit: () => void
  readonly onWorked: (worked: WorkedRequest) => void
}

type Result = Omit<VaultAnswer, 'sequence'>

const PLACES = ['payment method', 'card token'] as const
export const NOTHING = Buffer.alloc(0)

/** The number of a place's kind in a request. */
export function placeKind({ kind }: CardPlace): number {
  return PLACES.indexOf(kind)
}

/** Decides whether a request of a gateway process is allowed, and does it. Never rejects. */
export async function workOn(
  work: VaultWork,
  request: VaultRequest,
  deps: WorkerDeps,
): Promise<VaultAnswer> {
  let result: Result
  try {
    result = await resultOf(work, request, deps)
  } catch (error) {
    const status =
      error instanceof CardUnreadableError
        ? 'destroyed'
        : error instanceof VaultUnavailableError || deps.isUnavailable(error)
          ? 'unavailable'
          : 'failed'
    result = sentence(status, error instanceof Error ? error.message : String(error))
  }
  const { operation, name } = request
  // Only reasons and purposes of the policy become labels, and nothing else that a process sends.
  const purpose =
    operation === 'reveal card' && isGatewayReason(name) ? name : (purposeOf(name) ?? '')
  deps.onWorked({ operation, purpose, status: result.status })
  return { sequence: request.sequence, ...result }
}

async function resultOf(
  { codes, places, reencryption, vault }: VaultWork,
  request: VaultRequest,
  deps: WorkerDeps,
): Promise<Result> {
  const { operation, content, id, merchantId, name } = request
  switch (operation) {
    case 'hello':
      return sentence('refused', 'A process introduces itself once.')
    case 'seal card': {
      const pan = new CardNumber(content.toString('latin1'))
      const { fingerprint, sealed } = await vault.seal(pan, placeOf(request), merchantId)
      return done(fingerprint + sealed.ciphertext, sealed.dataKeyId)
    }
    case 'reveal card': {
      if (!isGatewayReason(name))
        return sentence('refused', 'A number is opened for a reason only.')
      const { allowed, isFirst } = deps.openings.take()
      if (isFirst) deps.onLimit()
      if (!allowed) return sentence('limited', 'The numbers of this minute are opened.')
      return done((await vault.reveal(content, placeOf(request), name, merchantId)).reveal())
    }
    case 'seal': {
      if (purposeOf(name) === null) return sentence('refused', 'Nothing is sealed for that place.')
      const { ciphertext, dataKeyId } = await places.seal(content, name)
      return { status: 'done', dataKeyId, content: ciphertext }
    }
    case 'open':
      if (purposeOf(name) === null) return sentence('refused', 'Nothing is opened of that place.')
      return { status: 'done', dataKeyId: 0, content: await places.open(content, name) }
    case 'seal code': {
      const code = new Secret(content.toString('utf8'))
      const sealed = await codes.seal(code, new Secret(name), id)
      return { status: 'done', dataKeyId: 0, content: Buffer.from(sealed) }
    }
    case 'open code': {
      const code = await codes.open(content, new Secret(name), id)
      return code === null ? sentence('destroyed', '') : done(code.reveal())
    }
    case 're-encrypt':
      return done(JSON.stringify(await reencryption.step()))
  }
}

function placeOf({ id, kind }: VaultRequest): CardPlace {
  const found = PLACES[kind]
  if (found === undefined) throw new Error('The kind of the place is unknown.')
  return { kind: found, id }
}

function done(text: string, dataKeyId: number = 0): Result {
  return { status: 'done', dataKeyId, content: Buffer.from(text, 'utf8') }
}

function sentence(status: VaultStatus, text: string): Result {
  return { status, dataKeyId: 0, content: Buffer.from(text, 'utf8') }
}
