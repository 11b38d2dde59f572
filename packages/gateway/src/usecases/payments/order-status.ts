import type { Site } from '../merchants/merchant-directory.ts'
import type { TransactionView } from './transaction-view.ts'

/** How a merchant names an order: by our id or by their own reference. */
export type OrderSelector =
  | { readonly by: 'id'; readonly orderId: bigint }
  | { readonly by: 'reference'; readonly reference: string }

/** One event of an order, oldest first in a list. */
export interface OrderEvent {
  readonly transaction: TransactionView
  readonly requestId: bigint
  readonly membershipReference: string
  /** True once its batch is closed. */
  readonly batchClosed: boolean
}

/** Null when the site has no such order. */
export type ReadOrder = (
  site: Site,
  selector: OrderSelector,
) => Promise<readonly OrderEvent[] | null>

/** Texts are stored with the order; null leaves what is there. */
export type UpdateOrder = (
  site: Site,
  selector: OrderSelector,
  update: { readonly receipt: string | null; readonly membershipReference: string | null },
) => Promise<readonly OrderEvent[] | null>
