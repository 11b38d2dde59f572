import { useQuery } from '@tanstack/react-query'
import * as routes from '@tollgate/portal-contract/routes'
import { LinkAnchor } from '../parts/links.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { isDead } from '../webhooks/endpoint-notices.tsx'
import { WorkLine } from './work-line.tsx'

/** Endpoints of webhooks that the gateway paused or disabled; nothing without an endpoint. */
export function WebhooksLine() {
  const maySee = useMay('settings.see')
  const { data } = useQuery({
    queryKey: ['webhooks', 'endpoints'],
    queryFn: ({ signal }) => call(routes.webhooks.list, { signal }),
    enabled: maySee,
  })
  if (data === undefined || data.endpoints.length === 0) return null
  const dead = data.endpoints.filter(isDead)
  return (
    <WorkLine isFine={dead.length === 0}>
      {dead.length === 0 ? (
        'The gateway delivers webhooks to every endpoint that is not paused by a user.'
      ) : (
        <>
          <LinkAnchor to="/settings/webhooks" size="sm" underline="always">
            {dead.length === 1
              ? `Webhook endpoint ${dead[0]?.id ?? ''} is ${dead[0]?.state ?? ''}`
              : `${dead.length} webhook endpoints are paused or disabled`}
          </LinkAnchor>
          : events wait.
        </>
      )}
    </WorkLine>
  )
}
