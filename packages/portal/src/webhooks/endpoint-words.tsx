import type { WebhookEndpoint } from '@tollgate/portal-contract/answers/webhooks'
import { StatusBadge } from '../parts/status-badge.tsx'
import { useSession } from '../session/session.ts'
import classes from './webhooks.module.css'

/** The chosen types in words. */
export function typesText(types: readonly string[]): string {
  return types.length === 0 ? 'all events' : types.map(typeText).join(', ')
}

/** A type, or a beginning of types such as `payment.` as `payment.*`. */
export function typeText(type: string): string {
  return type.endsWith('.') ? `${type}*` : type
}

/** The state of an endpoint; one that fails while it is enabled is shown so. */
export function EndpointStateBadge({
  endpoint: { failures, state },
}: {
  readonly endpoint: WebhookEndpoint
}) {
  const isFailing = state === 'enabled' && failures > 0
  return <StatusBadge state={isFailing ? 'failing' : state} />
}

/** A site by its name and number. */
export function SiteName({ siteId }: { readonly siteId: string }) {
  const name = useSession().sites.find(({ id }) => id === siteId)?.name
  return <span className={classes.line}>{name === undefined ? siteId : `${name} (${siteId})`}</span>
}
