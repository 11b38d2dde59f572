import type { Clock } from '../../base/clock.ts'
import type { Secret } from '../../base/secret.ts'
import { chooseFault, faultSentence } from '../../domain/webhooks/delivery-faults.ts'
import type {
  AttemptRecord,
  ClaimedDelivery,
  DeliveryQueue,
  PlayableFault,
  ReadyEndpoint,
} from './delivery-ports.ts'

export interface PlayFaultDeps {
  readonly queue: Pick<DeliveryQueue, 'hold' | 'lose' | 'takeFault'>
  /** The machine's. */
  readonly clock: Clock
  readonly siteNow: (siteId: bigint) => Promise<Date>
  /** From 0 to 1, below it. */
  readonly random: () => number
  /** A secret that no receiver has. */
  readonly newSecret: () => Secret
  /** False in production: no delivery meets a fault there. */
  readonly isSandbox: boolean
}

/** How an attempt differs from a good one. */
export interface PlayedFault {
  readonly kind: PlayableFault['kind']
  /** The event is not sent now; `retryMs`: until it is, by the site's clock; null for never. */
  readonly unsent: { readonly retryMs: number | null } | null
}

const S = 1_000
/** Older than receivers accept. */
const STALE_MS = 600_000

/** Plays the fault that a delivery meets, if there is one; null for a good attempt. */
export async function playFault(
  { clock, isSandbox, queue, random, siteNow }: PlayFaultDeps,
  endpoint: ReadyEndpoint,
  delivery: ClaimedDelivery,
): Promise<PlayedFault | null> {
  if (!isSandbox || endpoint.mode !== 'test') return null
  const fault = chooseFault(delivery.faults, delivery, random)
  // Another process may have played it for the last of its events.
  if (fault === null || !(await queue.takeFault(fault.id))) return null
  const { kind, seconds } = fault
  const attempt: AttemptRecord = {
    at: clock.now(),
    durationMs: 0,
    requestBytes: 0,
    signature: '',
    status: null,
    fault: faultSentence(fault),
    answer: '',
    played: kind,
  }
  if (kind === 'lose') {
    await queue.lose(delivery, attempt)
    return { kind, unsent: { retryMs: null } }
  }
  if (kind !== 'delay' && kind !== 'reorder') return { kind, unsent: null }
  const until = new Date((await siteNow(endpoint.siteId)).getTime() + seconds * S)
  await queue.hold(delivery, attempt, until, kind === 'reorder')
  return { kind, unsent: { retryMs: seconds * S } }
}

/** The time and the secrets that an attempt is signed with. */
export function signedBy(
  { newSecret }: Pick<PlayFaultDeps, 'newSecret'>,
  played: PlayedFault | null,
  at: Date,
  secrets: readonly Secret[],
): { readonly at: Date; readonly secrets: readonly Secret[] } {
  if (played?.kind === 'forge') return { at, secrets: [newSecret()] }
  if (played?.kind === 'stale') return { at: new Date(at.getTime() - STALE_MS), secrets }
  return { at, secrets }
}
