import type { SiteSummary } from '@tollgate/portal-contract/answers/shell'
import { createContext, useContext } from 'react'
import { useSession } from './session.ts'

export interface SiteChoice {
  /** The site that lists are narrowed to; null for all of them. */
  readonly siteId: string | null
  choose(siteId: string | null): void
}

export const SiteContext = createContext<SiteChoice>({ siteId: null, choose: () => undefined })

/** The choice in the page's head. */
export function useSiteChoice(): SiteChoice {
  return useContext(SiteContext)
}

/** The one site that a page is about: the chosen one, or the first of them. */
export function useSite(): SiteSummary | undefined {
  const { sites } = useSession()
  const { siteId } = useSiteChoice()
  return sites.find(({ id }) => id === siteId) ?? sites[0]
}
