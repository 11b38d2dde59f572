import { ActionIcon, Badge, Button, Menu, Text } from '@mantine/core'
import { IconDots, IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { PortalUserSummary } from '@tollgate/portal-contract/answers/portal-users'
import { ROLES } from '@tollgate/portal-contract/rights'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { amountText } from '../parts/amount.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'
import { useMay, useSession } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { LinkShown, type ShownLink } from './link-shown.tsx'
import classes from './portal-users.module.css'
import { readUsersAgain, REQUESTED, UserApprovals } from './user-approvals.tsx'
import { Change, Invite } from './user-dialogs.tsx'

type Confirming = {
  readonly what: 'change' | 'disable' | 'enable' | 'reset'
  readonly portalUser: PortalUserSummary
} | null

/** The portal users, and the operations of owners and admins on them. */
export function PortalUsersPage() {
  const found = useQuery({
    queryKey: ['portalUsers'],
    queryFn: ({ signal }) => call(routes.portalUsers.list, { signal }),
  })
  const mayChange = useMay('portal_users.change')
  const me = useSession().portalUser
  const [invites, setInvites] = useState(false)
  const [confirming, setConfirming] = useState<Confirming>(null)
  const [shown, setShown] = useState<ShownLink | null>(null)

  const columns: Column<PortalUserSummary>[] = [
    {
      key: 'name',
      title: 'Name',
      cell: ({ name, email, id }) => (
        <div className={classes.portalUser}>
          <Text size="sm" fw={500}>
            {name}{' '}
            {id === me.id && (
              <Text span size="xs" c="dimmed">
                (you)
              </Text>
            )}
          </Text>
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </div>
      ),
    },
    { key: 'role', title: 'Role', cell: ({ role }) => ROLES[role].title },
    {
      key: 'limit',
      title: 'Refund limit',
      align: 'right',
      cell: ({ refundLimit }) =>
        refundLimit === null ? (
          <Text span inherit c="dimmed">
            none
          </Text>
        ) : (
          amountText(refundLimit.minor, refundLimit.currency)
        ),
    },
    {
      key: 'factor',
      title: 'Second factor',
      cell: ({ hasSecondFactor }) =>
        hasSecondFactor ? (
          'on'
        ) : (
          <Text span inherit c="dimmed">
            off
          </Text>
        ),
    },
    {
      key: 'seen',
      title: 'Last seen',
      cell: ({ lastSeenAt }) =>
        lastSeenAt === null ? (
          <Text span inherit c="dimmed">
            never
          </Text>
        ) : (
          <When at={lastSeenAt} />
        ),
    },
    {
      key: 'state',
      title: 'State',
      cell: (portalUser) => <PortalUserState portalUser={portalUser} />,
    },
    ...(mayChange
      ? [
          {
            key: 'operations',
            title: '',
            align: 'right' as const,
            cell: (portalUser: PortalUserSummary) =>
              portalUser.id === me.id ||
              (portalUser.role === 'owner' && me.role !== 'owner') ? null : (
                <Operations
                  portalUser={portalUser}
                  onConfirm={(what) => setConfirming({ what, portalUser })}
                />
              ),
          },
        ]
      : []),
  ]

  return (
    <Page
      title="Portal users"
      text="Everyone who can sign in to this portal. The audit log records each user's operations under their name."
      actions={
        mayChange && (
          <Button leftSection={<IconUserPlus size={16} />} onClick={() => setInvites(true)}>
            Invite user
          </Button>
        )
      }
    >
      <UserApprovals onLink={setShown} />
      {found.error !== null && found.data === undefined ? (
        <Fault error={found.error} onRetry={() => void found.refetch()} />
      ) : (
        <DataTable
          label="Portal users"
          columns={columns}
          rows={found.data?.portalUsers}
          keyOf={({ id }) => id}
          empty={<EmptyState title="No portal users" text="Invite the first user." />}
        />
      )}
      {invites && <Invite onClose={() => setInvites(false)} onInvited={setShown} />}
      {confirming?.what === 'change' && (
        <Change portalUser={confirming.portalUser} onClose={() => setConfirming(null)} />
      )}
      <Confirm
        opened={confirming !== null && confirming.what !== 'change'}
        title={titleOf(confirming)}
        action={actionOf(confirming)}
        dangerous={confirming?.what !== 'enable'}
        onConfirm={async () => {
          if (confirming === null || confirming.what === 'change') return
          const { what, portalUser } = confirming
          const path = { id: portalUser.id }
          if (what === 'reset') {
            const { link } = await call(routes.portalUsers.reset, { path })
            await readUsersAgain()
            if (link === null) showDone(REQUESTED)
            else setShown({ link, name: portalUser.name })
            return
          }
          const { done } = await call(routes.portalUsers[what], { path })
          await readUsersAgain()
          showDone(done ? `${portalUser.name} ${what}d.` : REQUESTED)
        }}
        onClose={() => setConfirming(null)}
      >
        <Text size="sm">{textOf(confirming)}</Text>
      </Confirm>
      <LinkShown shown={shown} onClose={() => setShown(null)} />
    </Page>
  )
}

function PortalUserState({
  portalUser: { state, linkUntil },
}: {
  readonly portalUser: PortalUserSummary
}) {
  if (state === 'active') return <Badge color="green">active</Badge>
  if (state === 'disabled') return <Badge color="gray">disabled</Badge>
  if (state === 'idle') return <Badge color="orange">idle: locked until enabled</Badge>
  return linkUntil === null ? (
    <Badge color="orange">link expired</Badge>
  ) : (
    <Badge color="blue">invited</Badge>
  )
}

function Operations({
  portalUser,
  onConfirm,
}: {
  readonly portalUser: PortalUserSummary
  readonly onConfirm: (what: NonNullable<Confirming>['what']) => void
}) {
  const { state, name } = portalUser
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onConfirm('change')}>Change role and limit</Menu.Item>
        {state !== 'disabled' && (
          <Menu.Item onClick={() => onConfirm('reset')}>
            {state === 'invited' ? 'Create a new link' : 'Reset password and second factor'}
          </Menu.Item>
        )}
        {(state === 'disabled' || state === 'idle') && (
          <Menu.Item onClick={() => onConfirm('enable')}>Enable</Menu.Item>
        )}
        {state !== 'disabled' && (
          <Menu.Item c="var(--mantine-color-error)" onClick={() => onConfirm('disable')}>
            Disable
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function titleOf(confirming: Confirming): string {
  if (confirming === null) return ''
  const { name, state } = confirming.portalUser
  if (confirming.what === 'reset')
    return state === 'invited' ? `Create a new link for ${name}?` : `Reset ${name}?`
  return `${confirming.what === 'disable' ? 'Disable' : 'Enable'} ${name}?`
}

function actionOf(confirming: Confirming): string {
  if (confirming?.what === 'reset')
    return confirming.portalUser.state === 'invited' ? 'Create link' : 'Reset and create link'
  return confirming?.what === 'enable' ? 'Enable' : 'Disable'
}

function textOf(confirming: Confirming): string {
  if (confirming?.what === 'enable') return 'The user can sign in again with the current password.'
  if (confirming?.what === 'disable')
    return 'The user is signed out everywhere and cannot sign in. Their past operations stay on record.'
  return confirming?.portalUser.state === 'invited'
    ? 'The previous link stops working.'
    : 'The user is signed out everywhere. Password and second factor are deleted, and the user sets new ones through the link.'
}
