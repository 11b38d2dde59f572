import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { UserRequest } from '@tollgate/portal-contract/answers/portal-users'
import { ROLES } from '@tollgate/portal-contract/rights'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { amountText } from '../parts/amount.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { timeText } from '../parts/when.tsx'
import { useMay, useSession } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'
import type { ShownLink } from './link-shown.tsx'

/** Shown where a change became a request. */
export const REQUESTED = 'Requested. Another user must approve it within 24 hours.'

/** The list of users and its open requests. */
export const readUsersAgain = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['portalUsers'] })

type Asking =
  | { readonly what: 'switch'; readonly required: boolean }
  | { readonly what: 'approve' | 'refuse' | 'withdraw'; readonly request: UserRequest }

/** The setting that a second user approves changes of users with equal rank, and what waits. */
export function UserApprovals({ onLink }: { readonly onLink: (shown: ShownLink) => void }) {
  const found = useQuery({
    queryKey: ['portalUsers', 'approvals'],
    queryFn: ({ signal }) => call(routes.userApprovals.read, { signal }),
  })
  const mayChange = useMay('portal_users.change')
  const me = useSession().portalUser
  const [asking, setAsking] = useState<Asking | null>(null)
  if (found.data === undefined) return null
  const { required, requests } = found.data
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Text size="sm">
          {required
            ? 'A second user approves changes of users with equal rank.'
            : 'Owners and admins change users with equal rank alone.'}
        </Text>
        {mayChange && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => setAsking({ what: 'switch', required: !required })}
          >
            {required ? 'Stop requiring approval' : 'Require approval'}
          </Button>
        )}
      </Group>
      {requests
        .filter(({ state }) => state === 'open')
        .map((request) => (
          <Waiting
            key={request.id}
            request={request}
            isOwn={request.requestedBy.id === me.id}
            mayDecide={mayChange && request.portalUser?.id !== me.id}
            onAsk={setAsking}
          />
        ))}
      <Confirm
        opened={asking !== null}
        title={asking === null ? '' : titleOf(asking)}
        action={asking === null ? '' : actionOf(asking)}
        dangerous={asking?.what === 'approve' || asking?.what === 'refuse'}
        onConfirm={async () => {
          if (asking !== null) await send(asking, onLink)
        }}
        onClose={() => setAsking(null)}
      >
        <Text size="sm">{asking === null ? '' : textOf(asking)}</Text>
      </Confirm>
    </Stack>
  )
}

function Waiting({
  request,
  isOwn,
  mayDecide,
  onAsk,
}: {
  readonly request: UserRequest
  readonly isOwn: boolean
  readonly mayDecide: boolean
  readonly onAsk: (asking: Asking) => void
}) {
  const { requestedBy, expiresAt } = request
  const source = isOwn
    ? 'Your request: another user must decide'
    : `Requested by ${requestedBy.name}`
  return (
    <Alert color="blue" role="status" icon={<IconUsers size={18} />} title={wishOf(request)}>
      <Group gap="xs">
        <Text size="sm">
          {source} until {timeText(expiresAt)}.
        </Text>
        {isOwn && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onAsk({ what: 'withdraw', request })}
          >
            Withdraw
          </Button>
        )}
        {!isOwn && mayDecide && (
          <>
            <Button size="compact-sm" onClick={() => onAsk({ what: 'approve', request })}>
              Approve
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => onAsk({ what: 'refuse', request })}
            >
              Refuse
            </Button>
          </>
        )}
      </Group>
    </Alert>
  )
}

/** The content of a request, as a title. */
function wishOf({ does, portalUser, role, refundLimit }: UserRequest): string {
  const name = portalUser?.name ?? ''
  if (does === 'switch_off') return 'Stop requiring approval'
  if (does === 'reset') return `Reset ${name}`
  if (does !== 'change') return `${does === 'enable' ? 'Enable' : 'Disable'} ${name}`
  const limit =
    refundLimit === null
      ? 'no refund limit'
      : `a refund limit of ${amountText(refundLimit.minor, refundLimit.currency)}`
  return `Change ${name} to ${role === null ? '' : ROLES[role].title} with ${limit}`
}

function titleOf(asking: Asking): string {
  if (asking.what === 'switch')
    return asking.required ? 'Require approval?' : 'Request to stop requiring approval?'
  const verb = { approve: 'Approve', refuse: 'Refuse', withdraw: 'Withdraw' }[asking.what]
  return `${verb}: ${wishOf(asking.request)}?`
}

function actionOf(asking: Asking): string {
  if (asking.what === 'switch') return asking.required ? 'Require approval' : 'Send request'
  return { approve: 'Approve', refuse: 'Refuse', withdraw: 'Withdraw' }[asking.what]
}

function textOf(asking: Asking): string {
  if (asking.what === 'switch')
    return asking.required
      ? 'Changes of users with equal rank then take two users. ' +
          'Switching it off takes two users as well.'
      : 'Another owner or admin must approve it within 24 hours.'
  if (asking.what !== 'approve') return 'Nothing changes.'
  return asking.request.does === 'reset'
    ? 'The user is signed out everywhere, and you get the link to set a new password. ' +
        'Pass it on in private.'
    : `The change takes effect at once. Requested by ${asking.request.requestedBy.name}.`
}

async function send(asking: Asking, onLink: (shown: ShownLink) => void): Promise<void> {
  if (asking.what === 'switch') {
    const { done } = await call(routes.userApprovals.set, { body: { required: asking.required } })
    await readUsersAgain()
    showDone(done ? 'A second user now approves changes of users with equal rank.' : REQUESTED)
    return
  }
  const path = { id: asking.request.id }
  if (asking.what === 'approve') {
    const { link } = await call(routes.userApprovals.approve, { path })
    await readUsersAgain()
    if (link === null) showDone('Approved.')
    else onLink({ link, name: asking.request.portalUser?.name ?? '' })
    return
  }
  await call(routes.userApprovals[asking.what], { path })
  await readUsersAgain()
  showDone(asking.what === 'refuse' ? 'Request refused.' : 'Request withdrawn.')
}
