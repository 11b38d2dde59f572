import { Alert, Anchor } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { timeText } from '../parts/when.tsx'
import { useMay, useSession } from '../session/session.ts'
import { useGoLiveRequests } from './settings-queries.ts'

/** Says that a request waits for a second user, wherever settings are shown. */
export function GoLiveBanner({ siteId }: { readonly siteId?: string }) {
  const requests = useGoLiveRequests()
  const { portalUser } = useSession()
  const mayApprove = useMay('sites.approve_live')
  const open = (requests.data?.requests ?? []).filter(
    (request) => request.state === 'open' && (siteId === undefined || request.siteId === siteId),
  )
  return open.map(({ id, siteId: site, siteName, wantedMode, requestedBy, expiresAt }) => (
    <Alert
      key={id}
      color="blue"
      role="status"
      icon={<IconUsers size={18} />}
      title={`${wantedMode === 'live' ? 'Live' : 'Test'} mode requested for ${siteName}`}
    >
      {requestedBy.id === portalUser.id
        ? 'Your request: another user must decide'
        : `Requested by ${requestedBy.name}${mayApprove ? '. You can decide' : ', open'}`}{' '}
      until {timeText(expiresAt)}.{' '}
      <Anchor
        inherit
        renderRoot={(props) => (
          <Link
            {...props}
            to="/settings/sites/$siteId"
            params={{ siteId: site }}
            search={{ tab: 'mode' }}
          />
        )}
      >
        Review the changes
      </Anchor>
    </Alert>
  ))
}
