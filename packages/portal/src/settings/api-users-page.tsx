import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ApiUserSummary } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { actorText } from '../parts/actor-text.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call, ApiFault } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'
import { ApiUserDrawer } from './api-user-drawer.tsx'
import { useApiUsers } from './settings-queries.ts'
import { ShownOnce } from './shown-once.tsx'
import { UserState } from './user-state.tsx'

const COLUMNS: readonly Column<ApiUserSummary>[] = [
  { key: 'name', title: 'Name', cell: ({ name }) => name },
  { key: 'state', title: 'State', cell: ({ state }) => <UserState state={state} /> },
  {
    key: 'used',
    title: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <When at={lastUsedAt} />),
  },
  {
    key: 'passwords',
    title: 'Live passwords',
    align: 'right',
    cell: ({ passwords }) => passwords.length,
  },
  {
    key: 'from',
    title: 'May come from',
    cell: ({ allowedFrom }) => allowedFrom.join(', ') || 'everywhere',
  },
  {
    key: 'made',
    title: 'Made',
    cell: ({ madeAt, madeBy }) => (
      <>
        <When at={madeAt} dayOnly /> by {actorText(madeBy)}
      </>
    ),
  },
]

export function ApiUsersPage() {
  const { user: chosen } = useSearch({ from: '/settings/api-users' })
  const navigate = useNavigate()
  const users = useApiUsers()
  const mayChange = useMay('api_users.change')
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<{ readonly name: string; readonly password: string } | null>(
    null,
  )
  const open = (name: string | undefined): void =>
    void navigate({ to: '/settings/api-users', search: name === undefined ? {} : { user: name } })
  const idleDays = users.data?.idleDays ?? 0
  return (
    <Page
      title="API users"
      text={`What your programs sign in with: one for each.${idleDays > 0 ? ` One that is not used for ${idleDays} days is refused as idle.` : ''}`}
      actions={
        mayChange && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
            Make an API user
          </Button>
        )
      }
    >
      {users.error === null ? (
        <DataTable
          label="API users"
          columns={COLUMNS}
          rows={users.data?.users}
          keyOf={({ name }) => name}
          onOpen={({ name }) => open(name)}
          empty={
            <EmptyState
              title="There are no API users"
              text="Without one no program can send a request."
            />
          }
        />
      ) : (
        <Fault error={users.error} onRetry={() => void users.refetch()} />
      )}
      <ApiUserDrawer
        name={chosen}
        user={users.data?.users.find(({ name }) => name === chosen)}
        isLoading={users.data === undefined}
        onClose={() => open(undefined)}
      />
      <AddUser
        opened={isAdding}
        onClose={() => setAdding(false)}
        onMade={(made) => {
          setAdding(false)
          setSecret(made)
        }}
      />
      <ShownOnce
        secret={secret?.password ?? null}
        title={`The password of ${secret?.name ?? ''}`}
        text={`Put it into the program that signs in as ${secret?.name ?? ''} (REQ_USERNAME, REQ_PASSWORD).`}
        onClose={() => setSecret(null)}
      />
    </Page>
  )
}

interface AddUserProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onMade: (made: { readonly name: string; readonly password: string }) => void
}

function AddUser({ opened, onClose, onMade }: AddUserProps) {
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: () => call(routes.apiUsers.add, { body: { name } }),
    async onSuccess({ password }) {
      await queryClient.invalidateQueries({ queryKey: ['settings', 'api-users'] })
      setName('')
      onMade({ name, password })
    },
  })
  const close = (): void => {
    add.reset()
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title="Make an API user">
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!add.isPending) add.mutate()
        }}
      >
        <TextInput
          label="Name"
          description="3 to 64 letters, digits and signs without blanks. It is sent with each request, and never changes."
          data-autofocus
          required
          maxLength={64}
          value={name}
          error={add.error instanceof ApiFault ? add.error.message : undefined}
          onChange={(event) => {
            add.reset()
            setName(event.currentTarget.value.trim())
          }}
        />
        <Text size="sm" c="dimmed">
          A password is made for it, and shown once. It may use all of your sites.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending} disabled={name.length < 3}>
            Make it
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
