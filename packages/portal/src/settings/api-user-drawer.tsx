import {
  Alert,
  Button,
  Fieldset,
  Group,
  Stack,
  Table,
  TagsInput,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ApiUserSummary } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { actorText } from '../parts/actor-text.ts'
import { Confirm } from '../parts/confirm.tsx'
import { SideDialog } from '../parts/dialog.tsx'
import { showDone } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call, ApiFault } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'
import { EventsRight } from './api-user-events.tsx'
import { useDraft } from './draft.tsx'
import { SaveBar, type Describe } from './save-bar.tsx'
import classes from './settings.module.css'
import { ShownOnce } from './shown-once.tsx'
import { UserState } from './user-state.tsx'

interface ApiUserDrawerProps {
  /** Undefined while none is chosen. */
  readonly name: string | undefined
  readonly user: ApiUserSummary | undefined
  readonly isLoading: boolean
  readonly onClose: () => void
}

/** One API user: its passwords, where it may come from, and whether it may come at all. */
export function ApiUserDrawer({ name, user, isLoading, onClose }: ApiUserDrawerProps) {
  return (
    <SideDialog
      opened={name !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={
        <Title order={2} size="h4">
          {name}
        </Title>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {user !== undefined ? (
        <UserDetails key={user.name} user={user} />
      ) : (
        !isLoading && <EmptyState title="API user not found" text="The link may be out of date." />
      )}
    </SideDialog>
  )
}

type Confirming =
  | { readonly operation: 'password' | 'disable' | 'enable' }
  | { readonly operation: 'retire'; readonly number: number }

function UserDetails({ user }: { readonly user: ApiUserSummary }) {
  const mayChange = useMay('api_users.change')
  const [confirming, setConfirming] = useState<Confirming | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const path = { name: user.name }
  const isLast = user.passwords.length === 1
  const run = async (): Promise<void> => {
    if (confirming?.operation === 'password')
      setSecret((await call(routes.apiUsers.addPassword, { path })).password)
    else if (confirming?.operation === 'retire')
      await call(routes.apiUsers.retirePassword, {
        path: { ...path, number: String(confirming.number) },
      })
    else if (confirming !== null) await call(routes.apiUsers[confirming.operation], { path })
    await queryClient.invalidateQueries({ queryKey: ['settings', 'api-users'] })
    if (confirming?.operation !== 'password')
      showDone('Saved. The change takes effect within 2 seconds.')
  }
  return (
    <Stack>
      <Facts
        facts={[
          ['State', <UserState key="state" state={user.state} />],
          [
            'Last used',
            user.lastUsedAt === null ? 'never' : <When key="at" at={user.lastUsedAt} />,
          ],
          [
            'Created',
            <>
              <When key="at" at={user.madeAt} /> by {actorText(user.madeBy)}
            </>,
          ],
        ]}
      />
      {user.state === 'idle' && (
        <Alert color="orange">
          This API user was idle for too long, so its requests are refused (102). Enable it to allow
          them again.
        </Alert>
      )}
      {mayChange && (
        <Group>
          {user.state === 'enabled' ? (
            <Button variant="default" onClick={() => setConfirming({ operation: 'disable' })}>
              Disable
            </Button>
          ) : (
            <Button onClick={() => setConfirming({ operation: 'enable' })}>Enable</Button>
          )}
        </Group>
      )}
      <Title order={3} size="h5">
        Passwords
      </Title>
      <Table.ScrollContainer
        minWidth={380}
        type="native"
        tabIndex={0}
        role="group"
        aria-label="Active passwords"
      >
        <Table aria-label="Active passwords">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Number</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {user.passwords.map(({ number, madeAt, lastUsedAt }) => (
              <Table.Tr key={number}>
                <Table.Td>{number}</Table.Td>
                <Table.Td>
                  <When at={madeAt} dayOnly />
                </Table.Td>
                <Table.Td>{lastUsedAt === null ? 'never' : <When at={lastUsedAt} />}</Table.Td>
                <Table.Td ta="right">
                  {mayChange && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Retire password ${number}`}
                      onClick={() => setConfirming({ operation: 'retire', number })}
                    >
                      Retire
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
            {user.passwords.length === 0 && (
              <Table.Tr>
                <Table.Td colSpan={4}>
                  Without an active password, this API user cannot send requests.
                </Table.Td>
              </Table.Tr>
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="sm" fw={600}>
        To change the password without downtime
      </Text>
      <ol className={classes.steps}>
        <li>Create a second password. Both passwords work.</li>
        <li>Put the new password into your program.</li>
        <li>
          When the old password is no longer used, retire it. Its last use is updated once an hour.
        </li>
      </ol>
      {mayChange && (
        <Group>
          <Button
            onClick={() => setConfirming({ operation: 'password' })}
            disabled={user.passwords.length > 1}
          >
            {user.passwords.length === 0 ? 'Create password' : 'Create second password'}
          </Button>
        </Group>
      )}
      <Networks user={user} />
      <EventsRight user={user} />
      <Confirm
        opened={confirming !== null}
        title={titleOf(confirming, user.name)}
        action={actionOf(confirming)}
        dangerous={confirming?.operation === 'disable' || confirming?.operation === 'retire'}
        onClose={() => setConfirming(null)}
        onConfirm={run}
      >
        <Text size="sm">{textOf(confirming, user.name, isLast)}</Text>
      </Confirm>
      <ShownOnce
        secret={secret}
        title={`Password of ${user.name}`}
        text="Put it into your program, then retire the old password."
        onClose={() => setSecret(null)}
      />
    </Stack>
  )
}

function titleOf(confirming: Confirming | null, name: string): string {
  switch (confirming?.operation) {
    case 'password':
      return `Create a password for ${name}?`
    case 'retire':
      return `Retire password ${confirming.number}?`
    case 'disable':
      return `Disable ${name}?`
    default:
      return `Enable ${name}?`
  }
}

function actionOf(confirming: Confirming | null): string {
  switch (confirming?.operation) {
    case 'password':
      return 'Create password'
    case 'retire':
      return `Retire password ${confirming.number}`
    case 'disable':
      return 'Disable'
    default:
      return 'Enable'
  }
}

function textOf(confirming: Confirming | null, name: string, isLast: boolean): string {
  switch (confirming?.operation) {
    case 'password':
      return 'The new password is generated and shown once. The current one keeps working.'
    case 'retire':
      return isLast
        ? `This is the only active password of ${name}. Until you create another one, all its requests are refused. You cannot undo this.`
        : 'Within 2 seconds, requests with this password are refused (101). You cannot undo this.'
    case 'disable':
      return `Within 2 seconds, every request of ${name} is refused (102) until you enable it again.`
    default:
      return `Requests of ${name} are accepted again, and its idle time restarts.`
  }
}

interface NetworkValues {
  readonly networks: readonly string[]
}

const DESCRIBE: Describe<NetworkValues> = {
  networks: { label: 'Networks', text: (networks) => networks.join('\n') || 'everywhere' },
}

/** The allowed networks of the user, and its recent callers that they would refuse. */
function Networks({ user }: { readonly user: ApiUserSummary }) {
  const path = { name: user.name }
  const mayChange = useMay('api_users.change')
  const [fault, setFault] = useState<ApiFault | null>(null)
  const draft = useDraft<NetworkValues>({ networks: user.allowedFrom })
  const { networks } = draft.values
  const isDirty = draft.changed.length > 0
  const callers = useQuery({
    queryKey: ['settings', 'api-users', user.name, 'callers'],
    queryFn: ({ signal }) => call(routes.apiUsers.callers, { path, signal }),
  })
  const checked = useQuery({
    queryKey: ['settings', 'api-users', user.name, 'check', networks],
    queryFn: () => call(routes.apiUsers.checkNetworks, { path, body: { networks } }),
    enabled: isDirty,
    retry: false,
  })
  const shutOut = isDirty ? (checked.data?.shutOut ?? []) : []
  const checkFault =
    checked.error instanceof ApiFault && checked.error.field === 'networks'
      ? checked.error.message
      : undefined
  const warning = `${shutOut.length === 1 ? 'An address' : `${shutOut.length} addresses`} that ${user.name} used in the last 7 days would be blocked: ${shutOut.map(({ address, requests }) => `${address} (${requests} requests)`).join(', ')}.`
  return (
    <Fieldset legend="Networks" disabled={!mayChange}>
      <Stack gap="sm">
        <TagsInput
          label="Allowed networks"
          description="Addresses such as 192.0.2.7 or 2001:db8::7, or networks such as 192.0.2.0/24. Leave empty to allow any address. Press Enter after each."
          placeholder={networks.length === 0 ? 'everywhere' : ''}
          value={[...networks]}
          error={fault?.field === 'networks' ? fault.message : checkFault}
          onChange={(wanted) => {
            setFault(null)
            draft.set(
              'networks',
              wanted.map((network) => network.trim()),
            )
          }}
        />
        {shutOut.length > 0 && (
          <Alert color="red" role="alert">
            {warning}
          </Alert>
        )}
        {callers.data !== undefined && callers.data.callers.length > 0 && (
          <Text size="sm" c="dimmed">
            Used in the last 7 days:{' '}
            {callers.data.callers
              .slice(0, 8)
              .map(({ address, requests }) => `${address} (${requests})`)
              .join(', ')}
            {callers.data.callers.length > 8
              ? ` and ${callers.data.callers.length - 8} others`
              : ''}
            .
          </Text>
        )}
        <SaveBar
          draft={draft}
          describe={DESCRIBE}
          save={async ({ values, seen }) => {
            await call(routes.apiUsers.changeNetworks, {
              path,
              body: { networks: values.networks, seen: seen.networks },
            })
            await queryClient.invalidateQueries({ queryKey: ['settings', 'api-users'] })
          }}
          onFault={setFault}
          changeDelaySeconds={2}
          note={shutOut.length > 0 ? warning : undefined}
        />
      </Stack>
    </Fieldset>
  )
}
