import type { ColumnKey, ListName } from '@tollgate/portal-contract/order-columns'
import type { PortalUser } from '../../shell/usecases/portal-user.ts'

/** Filters, sequence and columns of a list, under a name. */
export interface OrderView {
  readonly id: bigint
  readonly list: ListName
  readonly name: string
  /** The search of the page's address, without a question mark. */
  readonly search: string
  /** Whether everybody of the merchant sees it. */
  readonly shared: boolean
  /** Whether the requesting user created it; no other user may change or remove it. */
  readonly own: boolean
  readonly madeBy: string
}

/** Views that one portal user may keep. */
export const MOST_VIEWS = 100
/** Of these, the views that all users of the merchant see in their own lists. */
export const MOST_SHARED_VIEWS = 20

/** The refusals of a view, by the limit that it exceeds. */
export const TOO_MANY_VIEWS = {
  views:
    `You already have ${MOST_VIEWS} views, which is the maximum. Delete one first, or replace ` +
    'one of your views.',
  shared:
    `You already share ${MOST_SHARED_VIEWS} views, which is the maximum. Save this one for ` +
    'yourself, or delete a shared one first.',
} as const

export interface OrderViews {
  /** The portal user's own, and those that others share. */
  read(portalUser: PortalUser, list: ListName): Promise<readonly OrderView[]>
  /**
   * Kept under its name; one of the portal user's own that has the name is replaced. `views`: they
   * have MOST_VIEWS others; `shared`: they share MOST_SHARED_VIEWS others.
   */
  save(
    portalUser: PortalUser,
    view: Pick<OrderView, 'list' | 'name' | 'search' | 'shared'>,
    address: string,
  ): Promise<bigint | 'views' | 'shared'>
  /** False where the portal user has no such view. */
  remove(portalUser: PortalUser, id: bigint, address: string): Promise<boolean>
  /** Null where the portal user has chosen none. */
  readColumns(portalUser: PortalUser, list: ListName): Promise<readonly ColumnKey[] | null>
  chooseColumns(
    portalUser: PortalUser,
    list: ListName,
    columns: readonly ColumnKey[],
  ): Promise<void>
}
