import type { Clock } from '../../base/clock.ts'
import type { Secret } from '../../base/secret.ts'
import { readRetryAfter } from '../../domain/webhooks/delivery-schedule.ts'
import { judgeAttempt } from '../../domain/webhooks/judge-attempt.ts'
import type { OutwardRules } from '../../domain/webhooks/outward-rules.ts'
import type { SiteClocks } from '../clocks/site-clocks.ts'
import { describeEvent } from '../events/describe-event.ts'
import { SHARED_HEADERS, type SignedHeaders } from './attempt-headers.ts'
import type {
  AttemptRecord,
  ClaimedDelivery,
  DeliveryQueue,
  OpenWebhookSecret,
  PostOutwards,
  ReadyEndpoint,
} from './delivery-ports.ts'
import { playFault, signedBy, type PlayedFault } from './play-fault.ts'

export interface DeliverWebhooksDeps {
  readonly queue: DeliveryQueue
  readonly post: PostOutwards
  readonly openSecret: OpenWebhookSecret
  readonly sign: (
    id: string,
    at: Date,
    body: Uint8Array,
    secrets: readonly Secret[],
  ) => SignedHeaders
  /** A secret that no receiver has, for a fault that was asked for. */
  readonly newSecret: () => Secret
  /** False in production: no delivery meets a fault there. */
  readonly isSandbox: boolean
  readonly rulesOf: (mode: 'test' | 'live') => OutwardRules
  /** The machine's. */
  readonly clock: Clock
  readonly siteClocks: SiteClocks
  /** From 0 to 1. */
  readonly random: () => number
  /**
   * An attempt has ended: there may be room, or the next event of an object. `retryMs`: until its
   * next attempt by the site's clock; null for none.
   */
  readonly onEnd: (outcome: 'delivered' | 'failed' | 'held', retryMs: number | null) => void
  readonly pause: (ms: number) => Promise<void>
  readonly onError: (endpointId: bigint, error: unknown) => void
}

export interface WebhookDelivery {
  /** Starts what is due and has room; does not wait for it. True when there may be more. */
  look(): Promise<boolean>
  /**
   * Starts nothing more, and waits a moment for what is under way. An attempt that takes longer is
   * repeated when its lease is over.
   */
  stop(): Promise<void>
}

const OF_ENDPOINT = 10
/** An endpoint whose last attempt failed keeps fewer places, so that hanging ones leave room. */
const OF_FAILING_ENDPOINT = 2
const OF_NODE = 200
const STOPS_WITHIN_MS = 2_000

/**
 * Sends due deliveries. Each process claims no more than it has room for. An endpoint that answers
 * slowly fills its own places only.
 */
export function createWebhookDelivery(deps: DeliverWebhooksDeps): WebhookDelivery {
  const underWay = new Set<Promise<void>>()
  const places = new Map<bigint, number>()
  let isStopping = false

  function start(endpoint: ReadyEndpoint, work: () => Promise<void>): void {
    places.set(endpoint.id, (places.get(endpoint.id) ?? 0) + 1)
    const done: Promise<void> = work()
      .catch((error: unknown) => deps.onError(endpoint.id, error))
      .finally(() => {
        underWay.delete(done)
        const left = (places.get(endpoint.id) ?? 1) - 1
        if (left === 0) places.delete(endpoint.id)
        else places.set(endpoint.id, left)
      })
    underWay.add(done)
  }

  function roomFor(endpoint: ReadyEndpoint): number {
    const most =
      endpoint.state === 'paused' ? 1 : endpoint.failures > 0 ? OF_FAILING_ENDPOINT : OF_ENDPOINT
    return Math.min(most - (places.get(endpoint.id) ?? 0), OF_NODE - underWay.size)
  }

  return {
    async look() {
      if (isStopping) return false
      const hasMore = await deps.queue.fanOut(deps.clock.now())
      const ready = await deps.queue.ready(deps.clock.now())
      for (const endpoint of ready) {
        const room = roomFor(endpoint)
        if (room <= 0 || isStopping) continue
        const now = (await deps.siteClocks.of(endpoint.siteId)).now()
        const { deliveries, secrets } = await deps.queue.claim(endpoint, now, room)
        if (deliveries.length === 0) continue
        const opened = Promise.all(secrets.map((sealed) => deps.openSecret(endpoint.id, sealed)))
        opened.catch(() => undefined) // Reported by each delivery.
        for (const delivery of deliveries) {
          start(endpoint, async () => deliver(deps, endpoint, delivery, await opened))
        }
      }
      return hasMore
    },
    async stop() {
      isStopping = true
      await Promise.race([Promise.all(underWay), deps.pause(STOPS_WITHIN_MS)])
    },
  }
}

async function deliver(
  deps: DeliverWebhooksDeps,
  endpoint: ReadyEndpoint,
  delivery: ClaimedDelivery,
  secrets: readonly Secret[],
): Promise<void> {
  const { clock, queue, random, siteClocks } = deps
  const siteNow = async (siteId: bigint): Promise<Date> => (await siteClocks.of(siteId)).now()
  if (delivery.event === null) return queue.giveUp(delivery, clock.now())
  const body = Buffer.from(describeEvent(delivery.event))
  const played = await playFault({ ...deps, siteNow }, endpoint, delivery)
  if (played?.unsent) {
    const { retryMs } = played.unsent
    return deps.onEnd(retryMs === null ? 'delivered' : 'held', retryMs)
  }
  if (played?.kind === 'double') {
    const copy = await send(deps, endpoint, delivery, body, secrets, null)
    await queue.logCopy(delivery, { ...copy.attempt, played: 'double' })
  }
  const altered = played?.kind === 'double' ? null : played
  const { attempt, retryAfterMs } = await send(deps, endpoint, delivery, body, secrets, altered)
  const now = await siteNow(endpoint.siteId)
  let outcome: 'delivered' | 'failed' = 'failed'
  let retryMs: number | null = null
  await queue.record(endpoint, delivery, attempt, (health, attempts) => {
    const { status } = attempt
    const judged = judgeAttempt(health, attempts, { status, retryAfterMs }, now, random())
    outcome = judged.delivery.state === 'delivered' ? 'delivered' : 'failed'
    if (judged.delivery.state === 'pending')
      retryMs = judged.delivery.dueAt.getTime() - now.getTime()
    return judged
  })
  deps.onEnd(outcome, retryMs)
}

async function send(
  deps: DeliverWebhooksDeps,
  endpoint: ReadyEndpoint,
  { eventId }: ClaimedDelivery,
  body: Buffer,
  secrets: readonly Secret[],
  played: PlayedFault | null,
): Promise<{ readonly attempt: AttemptRecord; readonly retryAfterMs: number | null }> {
  const { clock, post, rulesOf, sign } = deps
  const at = clock.now()
  const signed = signedBy(deps, played, at, secrets)
  const own = sign(eventId, signed.at, body, signed.secrets)
  const headers = { ...SHARED_HEADERS, ...own }
  const answer = await post(endpoint.url, headers, body, rulesOf(endpoint.mode))
  const { durationMs, fault, status, text } = answer
  const sent = { at, durationMs, requestBytes: body.byteLength, status, fault, answer: text }
  return {
    attempt: { ...sent, signature: own['webhook-signature'], played: played?.kind ?? '' },
    retryAfterMs: readRetryAfter(answer.retryAfter, clock.now()),
  }
}
