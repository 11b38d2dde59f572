import type { DisputeState } from '../../domain/disputes/dispute-states.ts'
import type { Notice } from '../../domain/disputes/notice.ts'

/** The merchant account that an acquirer's notices are about. */
export interface FeedOwner {
  readonly merchantId: bigint
  readonly merchantAccountId: bigint
  readonly sender: string
  /** The acquirer's name of the account. */
  readonly account: string
}

export interface HeldFeed {
  readonly id: bigint
  readonly sender: string
  /** The number of the last notice; 0 before the first. */
  readonly lastN: bigint
}

/** A case as it stands under the lock of its account. */
export interface StoredCase {
  readonly id: bigint
  readonly state: DisputeState
  readonly isCharged: boolean
  readonly orderId: bigint | null
}

/** The money of an order under its lock. */
export interface DisputedOrder {
  readonly currency: string
  readonly capturedMinor: bigint
}

/** The rows of a case after a notice. */
export interface CaseChange {
  readonly state: DisputeState
  readonly isCharged: boolean
  readonly orderId: bigint | null
  readonly blockedMinor: bigint
  readonly networkDue: string | null
  readonly respondBy: string | null
  readonly isEnded: boolean
}

export interface NoticeTx {
  /**
   * Holds the account until the transaction ends: one process records notices or links lines at a
   * time. Makes the feed with its first notice.
   */
  holdFeed(owner: FeedOwner, by: string): Promise<HeldFeed>
  /** The hash of each of these notices that is stored, by its number. */
  findStored(feedId: bigint, ns: readonly bigint[]): Promise<ReadonlyMap<bigint, string>>
  /** Which of these ids the sender used before. */
  findUsedIds(sender: string, ids: readonly string[]): Promise<ReadonlySet<string>>
  findCases(feedId: bigint, caseIds: readonly string[]): Promise<ReadonlyMap<string, StoredCase>>
  /** The only order of the account that the keys of a notice fit; null for none, or for several. */
  findOrder(owner: FeedOwner, notice: Notice): Promise<bigint | null>
  /** Locks orders in the sequence of their ids, then reads them. */
  lockOrders(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, DisputedOrder>>
  /** The day of the account by its merchant's zone and the clock of its site: ISO 8601. */
  readToday(merchantAccountId: bigint, now: Date): Promise<string>
  openCase(owner: FeedOwner, feedId: bigint, notice: Notice, change: CaseChange): Promise<bigint>
  changeCase(caseId: bigint, notice: Notice, change: CaseChange): Promise<void>
  addNotice(
    owner: FeedOwner,
    feedId: bigint,
    dispute: {
      readonly id: bigint
      readonly before: DisputeState | null
      readonly after: DisputeState
    },
    notice: Notice,
    received: { readonly at: Date; readonly by: string },
  ): Promise<void>
  /** The amount that the cases of an order keep from being refunded. */
  sumBlocked(orderId: bigint): Promise<bigint>
  putDisputedOrder(
    merchantId: bigint,
    orderId: bigint,
    disputedMinor: bigint,
    isExcess: boolean,
  ): Promise<void>
  /** Raises, or ends, the difference about more being disputed than was captured. */
  noteExcess(orderId: bigint, isExcess: boolean, now: Date, by: string): Promise<void>
  /**
   * Links the lines of settlement files that wait for these cases, posts what is lost now, and ends
   * the differences that this explains.
   */
  settleMoney(caseIds: readonly bigint[], now: Date, by: string): Promise<void>
  advanceFeed(feedId: bigint, lastN: bigint): Promise<void>
}
