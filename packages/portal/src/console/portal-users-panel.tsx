import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ConsoleMerchant } from '@tollgate/portal-contract/answers/console'
import type { PortalUserSummary } from '@tollgate/portal-contract/answers/portal-users'
import { ROLES } from '@tollgate/portal-contract/rights'
import { consolePortalUsers } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import type { ShownLink } from '../users/link-shown.tsx'
import { REQUESTED } from './disable-dialog.tsx'
import { ReasonField } from './reason-field.tsx'

const RESET =
  'Password, second factor and sessions end at once. For 24 hours after the new sign-in, the ' +
  'user changes neither money nor users.'

type ListedUser = Omit<PortalUserSummary, 'merchantId' | 'refundLimit'>

interface PanelProps {
  readonly merchant: ConsoleMerchant
  readonly mayChange: boolean
  readonly onLink: (shown: ShownLink) => void
}

/** The portal users of a merchant, and new links for them. */
export function PortalUsersPanel({ merchant, mayChange, onLink }: PanelProps) {
  const { id } = merchant
  const found = useQuery({
    queryKey: ['merchants', id, 'portal-users'],
    queryFn: ({ signal }) => call(consolePortalUsers.list, { path: { id }, signal }),
  })
  const [reset, setReset] = useState<ListedUser | null>(null)
  return (
    <Panel title="Portal users">
      {found.error === null ? (
        <DataTable
          label="Portal users"
          columns={columnsOf(mayChange, setReset)}
          rows={found.data}
          keyOf={(user) => user.id}
          empty={<EmptyState title="No portal users" text="Invite the owner of the merchant." />}
        />
      ) : (
        <Fault error={found.error} onRetry={() => void found.refetch()} />
      )}
      {reset !== null && (
        <NewLink
          user={reset}
          isLive={merchant.sites.some(({ mode }) => mode === 'live')}
          onLink={onLink}
          onClose={() => setReset(null)}
        />
      )}
    </Panel>
  )
}

function columnsOf(mayChange: boolean, onReset: (user: ListedUser) => void): Column<ListedUser>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      fills: true,
      cell: ({ name, email }) => (
        <>
          <Text size="sm" fw={500}>
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </>
      ),
    },
    { key: 'role', title: 'Role', cell: ({ role }) => ROLES[role].title },
    { key: 'state', title: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
    {
      key: 'factor',
      title: 'Second factor',
      cell: ({ hasSecondFactor }) => (hasSecondFactor ? 'on' : 'off'),
    },
    {
      key: 'seen',
      title: 'Last seen',
      cell: ({ lastSeenAt }) => (lastSeenAt === null ? 'never' : <When at={lastSeenAt} />),
    },
    {
      key: 'link',
      title: '',
      cell: (user) =>
        mayChange &&
        user.state !== 'disabled' && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`New link for ${user.name}`}
            onClick={() => onReset(user)}
          >
            New link
          </Button>
        ),
    },
  ]
}

/** Asks before a portal user loses password and second factor. */
function NewLink({
  user: { id, name, state },
  isLive,
  onLink,
  onClose,
}: {
  readonly user: ListedUser
  readonly isLive: boolean
  readonly onLink: (shown: ShownLink) => void
  readonly onClose: () => void
}) {
  const [reason, setReason] = useState('')
  const run = async (): Promise<void> => {
    const body = { reason: reason.trim() }
    const { done, link } = await call(consolePortalUsers.reset, { path: { id }, body })
    if (link !== null) onLink({ link, name })
    if (!done) showDone(REQUESTED)
    await everythingChanged()
  }
  return (
    <Confirm
      opened
      title={`New link for ${name}`}
      action={isLive ? 'Request link' : 'Create link'}
      dangerous
      onConfirm={run}
      onClose={onClose}
    >
      <Text size="sm">
        {state === 'invited' ? 'The earlier link ends.' : RESET}
        {isLive && ` ${REQUESTED} That operator gets the link.`}
      </Text>
      <ReasonField reason={reason} onChange={setReason} />
    </Confirm>
  )
}
