import type { Secret } from '../../base/secret.ts'
import type { DeliveryFault, FaultKind } from '../../domain/webhooks/delivery-faults.ts'
import type { EndpointHealth, JudgedAttempt } from '../../domain/webhooks/judge-attempt.ts'
import type { OutwardRules } from '../../domain/webhooks/outward-rules.ts'
import type { PlacedFact } from '../events/event-store.ts'

/** The answer of a merchant's server. */
export interface OutwardAnswer {
  /** Null where no whole answer came. */
  readonly status: number | null
  readonly retryAfter: string | undefined
  /** A sentence; '' for success. */
  readonly fault: string
  /** The beginning of the body, with card numbers masked. */
  readonly text: string
  readonly durationMs: number
}

/** Posts to an address that a merchant chose, as far as the rules allow it. Never throws. */
export type PostOutwards = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  rules: OutwardRules,
) => Promise<OutwardAnswer>

/** An endpoint that has something to send now. */
export interface ReadyEndpoint extends EndpointHealth {
  readonly id: bigint
  readonly merchantId: bigint
  readonly siteId: bigint
  readonly mode: 'test' | 'live'
  readonly url: string
  /** Whether deliveries may meet faults that were asked for. */
  readonly hasFaults: boolean
}

/** A fault as the queue has it. */
export interface PlayableFault extends DeliveryFault {
  readonly id: string
}

/** A delivery that this process may send until its lease is over. */
export interface ClaimedDelivery {
  readonly id: bigint
  readonly eventId: string
  readonly type: string
  /** Null where the event is no longer kept. */
  readonly event: PlacedFact | null
  /** Failed attempts of this round before this one. */
  readonly attempts: number
  /** The number of the claim. */
  readonly claim: number
  /** Those of its endpoint; it meets one of them at most. */
  readonly faults: readonly PlayableFault[]
  /** It met a fault before. */
  readonly isFaulted: boolean
  /** It goes out ahead of an earlier event of its object. */
  readonly isAhead: boolean
}

/** A secret as it is stored. */
export interface SealedSecret {
  readonly ciphertext: Buffer
  readonly dataKeyId: number
}

/** One attempt as it is stored. */
export interface AttemptRecord {
  readonly at: Date
  readonly durationMs: number
  readonly requestBytes: number
  /** The header `webhook-signature`; '' where nothing was sent. */
  readonly signature: string
  readonly status: number | null
  readonly fault: string
  readonly answer: string
  /** The fault that was played; '' for none. */
  readonly played: FaultKind | ''
}

/** The queue of deliveries. Each statement leaves no lock behind. */
export interface DeliveryQueue {
  /**
   * Makes deliveries of the events that came since, due now; true when there may be more right
   * away.
   */
  fanOut(now: Date): Promise<boolean>
  /** The same for endpoints with few due deliveries; what others have to get stays in the feed. */
  fanOutSparingly(now: Date): Promise<boolean>
  /** The endpoints with a due delivery, those that waited longest first. */
  ready(now: Date): Promise<readonly ReadyEndpoint[]>
  /** Due deliveries, each the first of its object, at most `limit`; leased to this process. */
  claim(
    endpoint: ReadyEndpoint,
    now: Date,
    limit: number,
  ): Promise<{
    readonly deliveries: readonly ClaimedDelivery[]
    /** The newest first. */
    readonly secrets: readonly SealedSecret[]
  }>
  /**
   * Writes the result of an attempt, unless the lease went to another process. `judge` decides
   * under the endpoint's lock.
   */
  record(
    endpoint: ReadyEndpoint,
    delivery: ClaimedDelivery,
    attempt: AttemptRecord,
    judge: (health: EndpointHealth, attempts: number) => JudgedAttempt,
  ): Promise<void>
  /** Counts an event of a fault; false when it has none left. */
  takeFault(id: string): Promise<boolean>
  /** Holds an event back until then, or, if it yields, until the next of its object was sent. */
  hold(
    delivery: ClaimedDelivery,
    attempt: AttemptRecord,
    until: Date,
    yields: boolean,
  ): Promise<void>
  /** Ends a delivery as if it had been sent. */
  lose(delivery: ClaimedDelivery, attempt: AttemptRecord): Promise<void>
  /** Logs an attempt that decides nothing, because the same event is sent again right away. */
  logCopy(delivery: ClaimedDelivery, attempt: AttemptRecord): Promise<void>
  /** Ends a delivery whose event is no longer kept. */
  giveUp(delivery: ClaimedDelivery, now: Date): Promise<void>
}

/** Opens a sealed secret of an endpoint. */
export type OpenWebhookSecret = (endpointId: bigint, sealed: SealedSecret) => Promise<Secret>
