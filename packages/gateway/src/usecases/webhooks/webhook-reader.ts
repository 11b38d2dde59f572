import type { PlacedFact } from '../events/event-store.ts'
import type { AttemptView, EndpointView } from './endpoint-store.ts'

export type DeliveryState = 'pending' | 'delivered' | 'failed'

/** Deliveries that are listed: all conditions hold together, and null is none. */
export interface DeliveryFilter {
  readonly merchantId: bigint
  readonly siteId: bigint | null
  readonly endpointId: bigint | null
  readonly state: DeliveryState | null
  /** A type, or a beginning of types that ends with a full stop. */
  readonly type: string | null
  readonly eventId: string | null
  /** Those whose event reached the endpoint's queue at or after this, by the machine's clock. */
  readonly from: Date | null
  /** Those before this. */
  readonly to: Date | null
}

/** The place of a delivery in the list, from which it goes on. */
export interface DeliveryPlace {
  readonly position: bigint
  readonly id: bigint
}

/** A delivery in the list. */
export interface ListedDelivery extends DeliveryPlace {
  readonly endpointId: bigint
  readonly siteId: bigint
  readonly url: string
  readonly eventId: string
  readonly type: string
  readonly object: { readonly type: string; readonly id: bigint }
  readonly state: DeliveryState
  /** Failed attempts of this round, or all of it once it is delivered. */
  readonly attempts: number
  /** The next attempt, by the site's clock. */
  readonly dueAt: Date
  readonly createdAt: Date
  readonly endedAt: Date | null
  /** The latest attempt; null before the first. */
  readonly last: Pick<AttemptView, 'at' | 'status' | 'fault'> | null
}

/** A delivery with its event and attempts, the newest first. */
export interface WholeDelivery extends ListedDelivery {
  /** Null where the event is no longer kept. */
  readonly event: PlacedFact | null
  readonly log: readonly AttemptView[]
}

/** The endpoints and deliveries of a merchant. */
export interface WebhookReader {
  hasSite(merchantId: bigint, siteId: bigint): Promise<boolean>
  /** The endpoints of all sites, site by site. */
  endpoints(merchantId: bigint): Promise<readonly EndpointView[]>
  /** The site of an endpoint; null for none of the merchant. */
  siteOf(merchantId: bigint, endpointId: bigint): Promise<bigint | null>
  /** Of the newest events first, behind `after`; null begins with the newest. */
  deliveries(
    filter: DeliveryFilter,
    after: DeliveryPlace | null,
    limit: number,
  ): Promise<readonly ListedDelivery[]>
  /** Null for none of the merchant. */
  delivery(merchantId: bigint, id: bigint): Promise<WholeDelivery | null>
}
