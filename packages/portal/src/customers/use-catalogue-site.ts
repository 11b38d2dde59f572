import { useSessionStorage } from '@mantine/hooks'
import type { SiteSummary } from '@tollgate/portal-contract/answers/shell'
import { useSession } from '../session/session.ts'
import { useSite } from '../session/site.ts'

/** The site whose products are shown, and the site of the portal at that time. */
interface Choice {
  readonly of: string
  readonly id: string
}

/**
 * The site of the products: the one of the portal, unless another one was chosen on the page of
 * the products. That choice leaves the other pages as they are, and ends when the portal's site
 * changes.
 */
export function useCatalogueSite(): {
  readonly site: SiteSummary | undefined
  readonly choose: (siteId: string) => void
} {
  const { sites } = useSession()
  const ofPortal = useSite()
  const [choice, setChoice] = useSessionStorage<Choice | null>({
    key: 'tollgate-catalogue',
    defaultValue: null,
  })
  const chosen = choice?.of === ofPortal?.id ? sites.find(({ id }) => id === choice?.id) : undefined
  return {
    site: chosen ?? ofPortal,
    choose: (id) => setChoice({ of: ofPortal?.id ?? '', id }),
  }
}
