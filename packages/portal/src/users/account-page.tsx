import {
  Badge,
  Button,
  Group,
  PasswordInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Account } from '@tollgate/portal-contract/answers/portal-users'
import { ROLES } from '@tollgate/portal-contract/rights'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { amountText } from '../parts/amount.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { showDone, showFault } from '../parts/done.ts'
import { Facts } from '../parts/facts.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { When } from '../parts/when.tsx'
import { ChangePassword, faultOf, FormFault } from '../session/change-password.tsx'
import { RecoveryCodes, SecondFactorSetup } from '../session/second-factor-setup.tsx'
import { useSession } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'
import { browserName } from './browser-name.ts'
import classes from './portal-users.module.css'

type Session = Account['sessions'][number]

const readAgain = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['account'] })

/** The page of a user's own account. */
export function AccountPage() {
  const account = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => call(routes.account.read, { signal }),
  })
  const { portalUser } = useSession()
  if (account.error !== null && account.data === undefined) {
    return (
      <Page title="My account">
        <Fault error={account.error} onRetry={() => void account.refetch()} />
      </Page>
    )
  }
  return (
    <Page title="My account" text={portalUser.email}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Panel title="Profile">
          <Name />
          <Facts
            facts={[
              ['Role', ROLES[portalUser.role].title],
              [
                'Refund limit',
                portalUser.refundLimit === null
                  ? 'none'
                  : amountText(portalUser.refundLimit.minor, portalUser.refundLimit.currency),
              ],
            ]}
          />
          <Text size="xs" c="dimmed">
            Another owner or admin can change your role and limit.
          </Text>
        </Panel>
        <Panel title="Password and second factor">
          <Protection account={account.data} />
        </Panel>
      </SimpleGrid>
      <Sessions sessions={account.data?.sessions} />
    </Page>
  )
}

function Name() {
  const { portalUser } = useSession()
  const [name, setName] = useState(portalUser.name)
  const save = useMutation({
    mutationFn: () => call(routes.account.setName, { body: { name } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['session'] })
      showDone('Name changed.')
    },
  })
  return (
    <Group
      component="form"
      align="flex-end"
      gap="xs"
      wrap="nowrap"
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) save.mutate()
      }}
    >
      <TextInput
        label="Name"
        required
        maxLength={100}
        flex={1}
        value={name}
        error={save.error?.message}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button
        type="submit"
        variant="default"
        loading={save.isPending}
        disabled={name.trim() === portalUser.name}
      >
        Save
      </Button>
    </Group>
  )
}

type Opened = 'password' | 'set up' | 'remove' | 'codes' | null

function Protection({ account }: { readonly account: Account | undefined }) {
  const { portalUser } = useSession()
  const [opened, setOpened] = useState<Opened>(null)
  const close = (): void => setOpened(null)
  const done = (text: string) => async (): Promise<void> => {
    close()
    showDone(text)
    await readAgain()
  }
  const isOn = account !== undefined && account.secondFactorSetAt !== null
  return (
    <>
      <Facts
        facts={[
          [
            'Password',
            account === undefined ? (
              '…'
            ) : (
              <>
                changed <When at={account.passwordChangedAt} />
              </>
            ),
          ],
          [
            'Second factor',
            account?.secondFactorSetAt ? (
              <>
                on since <When at={account.secondFactorSetAt} />
              </>
            ) : account === undefined ? (
              '…'
            ) : (
              'Off (password only)'
            ),
          ],
          ['Recovery codes', isOn ? `${account.recoveryCodesLeft} left` : null],
        ]}
      />
      <Group gap="xs">
        <Button variant="default" onClick={() => setOpened('password')}>
          Change password
        </Button>
        <Button
          variant={isOn ? 'default' : 'filled'}
          onClick={() => setOpened('set up')}
          disabled={account === undefined}
        >
          {isOn ? 'Replace second factor' : 'Set up second factor'}
        </Button>
        {isOn && (
          <Button variant="default" onClick={() => setOpened('codes')}>
            New recovery codes
          </Button>
        )}
        {isOn && !account.secondFactorRequired && (
          <Button variant="subtle" color="red" onClick={() => setOpened('remove')}>
            Turn off
          </Button>
        )}
      </Group>
      <Dialog opened={opened === 'password'} onClose={close} title="Change password">
        <ChangePassword
          email={portalUser.email}
          onDone={done('Password changed. All your other sessions are signed out.')}
        />
      </Dialog>
      <Dialog
        opened={opened === 'set up'}
        onClose={close}
        title="Second factor"
        closeOnClickOutside={false}
      >
        <SecondFactorSetup
          requiresPassword
          onDone={done('Second factor is on. All your other sessions are signed out.')}
        />
      </Dialog>
      <Dialog opened={opened === 'remove'} onClose={close} title="Turn off second factor">
        <PasswordPrompt
          text="Your password alone will be enough to sign in. Your recovery codes stop working."
          action="Turn off"
          send={(password) => call(routes.account.removeSecondFactor, { body: { password } })}
          onDone={done('Second factor is off.')}
        />
      </Dialog>
      <Dialog
        opened={opened === 'codes'}
        onClose={close}
        title="New recovery codes"
        closeOnClickOutside={false}
      >
        <NewCodes onDone={done('Recovery codes replaced.')} />
      </Dialog>
    </>
  )
}

function NewCodes({ onDone }: { readonly onDone: () => Promise<void> }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  if (codes !== null) return <RecoveryCodes codes={codes} onDone={onDone} />
  return (
    <PasswordPrompt
      text="Your current recovery codes stop working."
      action="Create new codes"
      send={(password) => call(routes.account.makeRecoveryCodes, { body: { password } })}
      onDone={({ recoveryCodes }) => setCodes(recoveryCodes)}
    />
  )
}

interface PasswordPromptProps<Done> {
  readonly text: string
  readonly action: string
  readonly send: (password: string) => Promise<Done>
  readonly onDone: (done: Done) => unknown
}

function PasswordPrompt<Done>({ text, action, send, onDone }: PasswordPromptProps<Done>) {
  const [password, setPassword] = useState('')
  const run = useMutation({ mutationFn: () => send(password), onSuccess: onDone })
  return (
    <Stack
      component="form"
      gap="sm"
      onSubmit={(event) => {
        event.preventDefault()
        if (!run.isPending) run.mutate()
      }}
    >
      <Text size="sm">{text}</Text>
      <FormFault error={run.error} fields={['password']} />
      <PasswordInput
        label="Your password"
        autoComplete="current-password"
        required
        data-autofocus
        value={password}
        error={faultOf(run.error, 'password')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Group justify="flex-end">
        <Button type="submit" loading={run.isPending}>
          {action}
        </Button>
      </Group>
    </Stack>
  )
}

function Sessions({ sessions }: { readonly sessions: readonly Session[] | undefined }) {
  const end = useMutation({
    mutationFn: (id: string | null) =>
      id === null
        ? call(routes.account.endOtherSessions)
        : call(routes.account.endSession, { path: { id } }),
    onSuccess: () => showDone('Session ended.'),
    onError: showFault,
    onSettled: readAgain,
  })
  return (
    <Panel
      title="Sessions"
      actions={
        <Button
          variant="default"
          size="xs"
          disabled={(sessions?.length ?? 0) < 2}
          loading={end.isPending && end.variables === null}
          onClick={() => end.mutate(null)}
        >
          Sign out everywhere else
        </Button>
      }
    >
      <DataTable
        label="Sessions"
        columns={[
          {
            key: 'browser',
            title: 'Browser',
            cell: ({ browser, isThis }) => (
              <div className={classes.session}>
                {browserName(browser)} {isThis && <Badge ml={6}>this session</Badge>}
              </div>
            ),
          },
          { key: 'address', title: 'Address', cell: ({ address }) => address },
          { key: 'began', title: 'Started', cell: ({ startedAt }) => <When at={startedAt} /> },
          { key: 'seen', title: 'Last seen', cell: ({ lastSeenAt }) => <When at={lastSeenAt} /> },
          {
            key: 'end',
            title: '',
            align: 'right',
            cell: ({ id, isThis, browser }: Session) =>
              isThis ? null : (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="red"
                  onClick={() => end.mutate(id)}
                  aria-label={`End the session of ${browserName(browser)}`}
                >
                  End
                </Button>
              ),
          },
        ]}
        rows={sessions}
        keyOf={({ id }) => id}
        empty={null}
      />
    </Panel>
  )
}
