import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ApiUserSummary } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { actorText } from '../parts/actor-text.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Dialog } from '../parts/dialog.tsx'
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
    title: 'Active passwords',
    align: 'right',
    cell: ({ passwords }) => passwords.length,
  },
  {
    key: 'from',
    title: 'Allowed networks',
    cell: ({ allowedFrom }) => allowedFrom.join(', ') || 'everywhere',
  },
  {
    key: 'made',
    title: 'Created',
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
      text={`Credentials of your programs. Create one API user per program.${idleDays > 0 ? ` An API user that is idle for ${idleDays} days is refused.` : ''}`}
      actions={
        mayChange && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
            Create API user
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
              title="No API users yet"
              text="Create one so that your programs can send requests."
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
        title={`Password of ${secret?.name ?? ''}`}
        text={`Put it into the program that sends ${secret?.name ?? ''} as REQ_USERNAME, in REQ_PASSWORD.`}
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
    async onSuccess({ name, password }) {
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
    <Dialog opened={opened} onClose={close} title="Create API user">
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!add.isPending) add.mutate()
        }}
      >
        <TextInput
          label="Name"
          description="3 to 64 letters, digits and symbols, without spaces. # and your merchant number are added. You cannot change it later."
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
          A password is generated and shown once. The API user can use all your sites.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending} disabled={name.length < 3}>
            Create API user
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
