import type { EventType } from '../../domain/events/event-types.ts'
import type { EventActor, EventPlace } from '../../domain/events/event.ts'
import type { FeedBounds } from '../../domain/events/judge-cursor.ts'
import type { MembershipDetails, MembershipFacts } from '../../domain/events/membership-event.ts'
import type {
  AdviceFacts,
  OrderFacts,
  OrderSums,
  TransactionFacts,
} from '../../domain/events/order-facts.ts'
import type { WholeFact } from '../../domain/events/whole-fact.ts'

/** A fact with the rows that its event needs. */
export type RecordedFact =
  | { readonly kind: 'transaction'; readonly type: EventType; readonly facts: TransactionFacts }
  | { readonly kind: 'advice'; readonly type: EventType; readonly facts: AdviceFacts }
  | {
      readonly kind: 'expiry'
      readonly type: 'authorization.expiring' | 'authorization.expired'
      readonly facts: OrderFacts
      readonly at: Date
      readonly minor: bigint
      readonly expiresAt: Date | null
      readonly sums: OrderSums | null
    }
  | {
      readonly kind: 'rejected'
      readonly facts: TransactionFacts
      readonly fileId: string
      readonly at: Date
    }
  | { readonly kind: 'abandoned'; readonly facts: TransactionFacts; readonly result: string }
  | {
      readonly kind: 'membership'
      readonly type: EventType
      readonly facts: MembershipFacts
      readonly details: MembershipDetails
      readonly actor: EventActor | null
    }
  | {
      readonly kind: 'whole'
      readonly type: EventType
      readonly merchantId: string
      readonly siteId: string | null
      readonly objectId: string
      readonly at: Date
      readonly actor: EventActor | null
      readonly content: WholeFact
      /** The order that the object belongs to, if it is known. */
      readonly order: OrderFacts | null
    }

/** An event in the feed. */
export interface PlacedFact extends EventPlace {
  readonly position: bigint
  readonly fact: RecordedFact
}

/** The result of one pass of the numbering. */
export interface NumberedEvents {
  readonly count: number
  /** The merchants whose feeds have grown. */
  readonly merchants: readonly string[]
  /** Facts are left for the next pass. */
  readonly hasMore: boolean
}

/** Numbers the facts that were recorded. */
export interface EventNumbering {
  /** Gives the next facts their positions, in one transaction, unless another process does so. */
  number(limit: number): Promise<NumberedEvents>
}

export interface FeedFilter {
  readonly merchantId: bigint
  readonly siteId: bigint | null
  /** Types, or prefixes that end with a full stop; empty for all. */
  readonly types: readonly string[]
}

export interface FeedPage {
  /** In the sequence of their positions. */
  readonly events: readonly PlacedFact[]
  /** Everything up to here was looked at. */
  readonly position: bigint
  readonly hasMore: boolean
}

/** Reads the feed. */
export interface FeedReader {
  readBounds(): Promise<FeedBounds>
  /** At most `limit` events behind a position that the bounds allow. */
  readPage(filter: FeedFilter, after: bigint, limit: number): Promise<FeedPage>
}
