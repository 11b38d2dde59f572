import type { Site } from '../merchants/merchant-directory.ts'

/** Authorizations that expire within a day, each announced once. */
export interface ExpiringOrders {
  /**
   * Announces those of all sites on the machine's clock, as of `now`, some at a time; true when
   * there may be more.
   */
  announce(now: Date): Promise<boolean>
  /** Announces those of a test site whose moment is at or before `until`, each as of its moment. */
  announceOf(siteId: bigint, until: Date): Promise<void>
  /**
   * Announces one of a test site as of `now`, before it is made to expire; nothing if it was
   * announced.
   */
  announceOne(site: Pick<Site, 'id' | 'merchantId'>, orderId: bigint, now: Date): Promise<void>
  /** The next such moment of a test site; null: none at or before `until`. */
  nextOf(siteId: bigint, until: Date): Promise<Date | null>
}
