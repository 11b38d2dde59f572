import type { EventObjectType, EventType } from './event-types.ts'

/** The content of an event: no floats, amounts are decimal texts. */
export type EventData = {
  readonly [name: string]:
    | string
    | number
    | boolean
    | null
    | EventData
    | readonly EventData[]
    | readonly string[]
}

/** The cause of a fact. */
export type EventOrigin =
  | 'API'
  | 'PORTAL'
  | 'REBILL'
  | 'RESOLVER'
  | 'EXPIRY'
  | 'BANK'
  | 'OPERATOR'
  | 'GATEWAY'

/** The user whose operation it was. */
export type EventActor = { readonly type: 'portal_user' | 'api_user'; readonly id: string }

/** An event without its place in the feed. */
export interface EventDraft {
  readonly type: EventType
  readonly merchantId: string
  /** Null for what concerns an account or the whole merchant. */
  readonly siteId: string | null
  readonly mode: 'test' | 'live' | null
  readonly object: { readonly type: EventObjectType; readonly id: string }
  /** By the site's clock. */
  readonly at: Date
  readonly origin: EventOrigin
  /** Null where no user did it. */
  readonly actor: EventActor | null
  /** REQ_ID of the request that made the fact; null for none. */
  readonly requestId: string | null
  readonly data: EventData
}

/** The place of an event, as its numbering gave it. */
export interface EventPlace {
  readonly id: string
  /** Of the object, from 1. */
  readonly sequence: bigint
  /** By the machine's clock. */
  readonly recordedAt: Date
}

/** The JSON of an event, as the feed answers it. */
export function writeEvent(draft: EventDraft, { id, recordedAt, sequence }: EventPlace): string {
  return JSON.stringify({
    id,
    type: draft.type,
    schema: `/schemas/events/v1/${draft.type}.json`,
    timestamp: draft.at.toISOString(),
    recorded_at: recordedAt.toISOString(),
    mode: draft.mode,
    merchant_id: draft.merchantId,
    site_id: draft.siteId,
    object: draft.object,
    sequence: Number(sequence),
    origin: draft.origin,
    actor: draft.actor,
    req_id: draft.requestId,
    data: draft.data,
  })
}
