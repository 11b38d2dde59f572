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

export interface OrderViews {
  /** The portal user's own, and those that others share. */
  read(portalUser: PortalUser, list: ListName): Promise<readonly OrderView[]>
  /**
   * Kept under its name; one of the portal user's own that has the name is replaced. Null where
   * they have MOST_VIEWS others.
   */
  save(
    portalUser: PortalUser,
    view: Pick<OrderView, 'list' | 'name' | 'search' | 'shared'>,
    address: string,
  ): Promise<bigint | null>
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
