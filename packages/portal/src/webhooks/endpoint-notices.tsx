import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { WebhookEndpoint } from '@tollgate/portal-contract/answers/webhooks'
import { LinkAnchor } from '../parts/links.tsx'
import { timeText } from '../parts/when.tsx'

/** Whether the gateway itself stopped deliveries to an endpoint, or nearly all of them. */
export function isDead({ reason, state }: WebhookEndpoint): boolean {
  return state !== 'enabled' && reason !== 'requested'
}

/** A notice for each endpoint that the gateway paused or disabled. */
export function EndpointNotices({ endpoints }: { readonly endpoints: readonly WebhookEndpoint[] }) {
  return endpoints.filter(isDead).map((endpoint) => (
    <Alert
      key={endpoint.id}
      color={endpoint.state === 'paused' ? 'orange' : 'red'}
      role="status"
      icon={<IconAlertTriangle size={18} />}
      title={`Endpoint ${endpoint.id} is ${endpoint.state}`}
    >
      {causeOf(endpoint)}{' '}
      <LinkAnchor
        inherit
        to="/settings/webhooks/$endpointId"
        params={{ endpointId: endpoint.id }}
        underline="always"
      >
        Show endpoint {endpoint.id}
      </LinkAnchor>
    </Alert>
  ))
}

/** Why nothing, or little, is sent to an endpoint, and the way on. */
export function causeOf({ failingSince, failures, reason, state }: WebhookEndpoint): string {
  const since = failingSince === null ? '' : ` since ${timeText(failingSince)}`
  if (reason === 'gone') {
    return 'Its server answered 410, so nothing more is sent. Resume it to send what waits.'
  }
  if (reason === 'requested') return 'A user paused it. Events wait until it is resumed.'
  return state === 'paused'
    ? `All ${failures} attempts${since} failed. It gets one event an hour; a success resumes it.`
    : `All ${failures} attempts${since} failed, so nothing more is sent. ` +
        'Resume it once its server works.'
}
