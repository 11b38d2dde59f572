import type { Site } from '../merchants/merchant-directory.ts'
import type { TransactionOrigin, TransactionView } from './transaction-view.ts'

/** How a merchant names an order: by our id or by their own reference. */
export type OrderSelector =
  | { readonly by: 'id'; readonly orderId: bigint }
  | { readonly by: 'reference'; readonly reference: string }

/** One event of an order. */
export interface OrderEvent {
  /** For the expiry of an authorization: a void of the amount that expired, under its ids. */
  readonly transaction: TransactionView
  /** `expiry`: the authorization expired, which is no transaction and has no ids of its own. */
  readonly origin: TransactionOrigin | 'expiry'
  /** By the site's clock. */
  readonly at: Date
  readonly requestId: bigint
  readonly membershipReference: string
  /** True once its batch is closed. */
  readonly batchClosed: boolean
}

/** Events of the latest order first; those of one order by time, the earliest first. */
export interface OrderEvents {
  readonly events: readonly OrderEvent[]
  /** True if there are more than an answer may have, so that later rows were left out. */
  readonly isTruncated: boolean
}

/** So many events are listed at most, so that no question can take up a process. */
export const MOST_EVENTS = 1_000

/**
 * The events of every order with the reference, of one order, or of every order of a membership.
 * Null when the site has no such order.
 */
export type ReadOrder = (
  site: Site,
  selector: OrderSelector | { readonly by: 'membership'; readonly membershipId: bigint },
) => Promise<OrderEvents | null>

/**
 * Texts are stored with the order; null leaves what is there. Of several orders with the reference,
 * it is the latest approved one, else the latest; its events are returned.
 */
export type UpdateOrder = (
  site: Site,
  selector: OrderSelector,
  update: {
    readonly receipt: string | null
    readonly membershipReference: string | null
    /** The merchant's own fields, by the names under which the order keeps them. */
    readonly fields: Readonly<Record<string, string>>
  },
) => Promise<OrderEvents | null>
