import type { FaultKind } from '../../domain/webhooks/delivery-faults.ts'
import type { EndpointDraft } from '../../domain/webhooks/endpoint-draft.ts'
import type { EndpointReason, EndpointState } from '../../domain/webhooks/judge-attempt.ts'
import type { Transact } from '../audit/audited-transaction.ts'
import type { LockedSiteTx } from '../merchants/locked-site.ts'
import type { SealedSecret } from './delivery-ports.ts'

/** An endpoint as it is shown; never with a secret. */
export interface EndpointView extends EndpointDraft {
  readonly id: bigint
  readonly siteId: bigint
  readonly state: EndpointState
  readonly reason: EndpointReason
  readonly failures: number
  readonly failingSince: Date | null
  readonly waitUntil: Date | null
  readonly createdAt: Date
  /** When its secrets were made, the newest first. */
  readonly secretsMadeAt: readonly Date[]
  readonly pending: number
  readonly failed: number
}

/** One attempt as it is shown. */
export interface AttemptView {
  readonly at: Date
  readonly durationMs: number
  readonly requestBytes: number
  /** The header `webhook-signature`; '' where nothing was sent. */
  readonly signature: string
  readonly status: number | null
  readonly fault: string
  readonly answer: string
  /** The fault that the sandbox played; '' for none. */
  readonly played: FaultKind | ''
}

/** A delivery with its attempts, the newest first. */
export interface DeliveryView {
  readonly id: bigint
  readonly eventId: string
  readonly type: string
  readonly object: string
  readonly state: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly dueAt: Date
  readonly createdAt: Date
  readonly log: readonly AttemptView[]
}

/** The deliveries of an endpoint that are sent again. */
export interface ResendFilter {
  /** Null for any event. */
  readonly eventId: string | null
  /** Only those that failed; otherwise those that were delivered too. */
  readonly isFailedOnly: boolean
  /** Those whose event came at or after this; null for all. */
  readonly since: Date | null
}

/** The locks, reads and writes of one change of a site's endpoints. */
export interface EndpointTx extends LockedSiteTx {
  readMode(siteId: bigint): Promise<'test' | 'live'>
  count(siteId: bigint): Promise<number>
  /** Another endpoint of the site with the same URL and types; null for none. */
  findSame(siteId: bigint, draft: EndpointDraft, except: bigint | null): Promise<bigint | null>
  nextId(): Promise<bigint>
  add(
    merchantSite: { readonly siteId: bigint; readonly id: bigint },
    draft: EndpointDraft,
    secret: SealedSecret,
  ): Promise<void>
  /** Has the sandbox's receiver catch what the endpoint is sent. */
  addReceiver(siteId: bigint, id: bigint, receiverId: string): Promise<void>
  /** Holds the endpoint until the commit; null for none of this site. */
  lock(
    siteId: bigint,
    id: bigint,
  ): Promise<(EndpointDraft & { readonly state: EndpointState; readonly secrets: number }) | null>
  change(id: bigint, draft: EndpointDraft): Promise<void>
  remove(id: bigint): Promise<void>
  /** Also forgets its failures. */
  setState(id: bigint, state: EndpointState, reason: EndpointReason): Promise<void>
  /** Makes `secret` the current one, and the one before it the previous. */
  addSecret(id: bigint, secret: SealedSecret): Promise<void>
  removePreviousSecret(id: bigint): Promise<void>
  /** Returns how many deliveries are queued again. */
  sendAgain(id: bigint, filter: ResendFilter): Promise<number>
  /** Records an event about the endpoint. */
  recordEvent(
    id: bigint,
    type: 'endpoint.tested' | 'endpoint.paused' | 'endpoint.resumed',
    origin: 'API' | 'PORTAL' | 'OPERATOR',
  ): Promise<void>
}

export interface EndpointStore {
  readonly transact: Transact<EndpointTx>
  /** Null for no such endpoint. */
  siteOf(id: bigint): Promise<bigint | null>
  list(siteId: bigint): Promise<readonly EndpointView[]>
  /** The newest deliveries of an endpoint of the site. */
  readLog(
    siteId: bigint,
    id: bigint,
    filter: { readonly state: 'failed' | 'pending' | null; readonly limit: number },
  ): Promise<readonly DeliveryView[]>
}
