import type { OwnedSite } from './throwaway-sites.ts'

/** Reads and writes of the removal of ended sites, in small steps. */
export interface EndedSitesStore {
  /**
   * An ended site that still has data, which no process has taken for a while; null for none. One
   * that is not ready yet is given again later, after the others.
   */
  take(): Promise<OwnedSite | null>
  /** Whether neither a payment nor a message to the bank is under way. */
  isQuiet(site: OwnedSite): Promise<boolean>
  /**
   * Erases the personal data of some customers who have orders at this site only. `busy`: another
   * operation uses one of them.
   */
  eraseCustomers(site: OwnedSite): Promise<'more' | 'done' | 'busy'>
  /** Deletes what no book refers to, and ends the removal. */
  finish(site: OwnedSite): Promise<void>
}

/**
 * Removes the data of one ended site, or as much as is possible now. Money first: memberships are
 * cancelled and authorizations voided at the bank, so that books and bank agree. Returns whether
 * there may be another.
 *
 * @param reset brings the site to a fresh start; false while that is not done
 */
export function createRemoveEndedSites(
  store: EndedSitesStore,
  reset: (site: OwnedSite) => Promise<boolean>,
): () => Promise<boolean> {
  return async () => {
    const site = await store.take()
    if (site === null) return false
    if (!(await reset(site)) || !(await store.isQuiet(site))) return true
    let erased = await store.eraseCustomers(site)
    while (erased === 'more') erased = await store.eraseCustomers(site)
    if (erased === 'done') await store.finish(site)
    return true
  }
}
