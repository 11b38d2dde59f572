import type { HomePeriod } from '@tollgate/portal-contract/answers/home'
import type { ReactNode } from 'react'
import { LinkAnchor } from '../parts/links.tsx'
import { useMay, useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'

export type Counted = 'approved' | 'declined' | 'failed' | 'refunded'

interface CountedLinkProps {
  readonly counted: Counted
  readonly period: HomePeriod
  /** Of an amount; a count has all currencies. */
  readonly currency?: string
  /** The service code of declined payments. */
  readonly reason?: number
  readonly children: ReactNode
}

/** A sum of payments as a link to the list of its transactions; text without the right to it. */
export function CountedLink({ children, counted, currency, period, reason }: CountedLinkProps) {
  const maySee = useMay('orders.see')
  const { sites } = useSession()
  const { siteId } = useSiteChoice()
  if (!maySee) return children
  const search = {
    counted,
    since: period.from,
    until: period.to,
    ...(currency === undefined ? {} : { currency }),
    ...(reason === undefined ? {} : { reason }),
    // The choice in the page's head holds in the list too.
    ...(siteId === null && sites.length > 1 ? { site: 'unclocked' } : {}),
  }
  return (
    <LinkAnchor to="/transactions" search={search} inherit>
      {children}
    </LinkAnchor>
  )
}
