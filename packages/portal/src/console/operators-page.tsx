import { Button, Group, Text } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { OperatorSummary } from '@tollgate/portal-contract/answers/console'
import { CONSOLE_ROLES } from '@tollgate/portal-contract/console-rights'
import { consoleOperators } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { LinkShown, type ShownLink } from '../users/link-shown.tsx'
import { useConsoleSession, useMayOperate } from './console-session.ts'
import { ChangeOperator, InviteOperator, type Changing } from './operator-dialogs.tsx'

/** The operators, and what owners do to their access. */
export function OperatorsPage() {
  const found = useQuery({
    queryKey: ['operators'],
    queryFn: ({ signal }) => call(consoleOperators.list, { signal }),
  })
  const mayChange = useMayOperate('operators.change')
  const me = useConsoleSession().operator
  const [invites, setInvites] = useState(false)
  const [changing, setChanging] = useState<Changing | null>(null)
  const [shown, setShown] = useState<ShownLink | null>(null)
  const columns = columnsOf(me.id, mayChange, setChanging)
  if (found.error !== null)
    return <Fault error={found.error} onRetry={() => void found.refetch()} />
  return (
    <Page
      title="Operators"
      text="Owners invite viewers. A second operator confirms another role and a reset."
      actions={
        mayChange && (
          <Button leftSection={<IconUserPlus size={16} />} onClick={() => setInvites(true)}>
            Invite operator
          </Button>
        )
      }
    >
      <DataTable
        label="Operators"
        columns={columns}
        rows={found.data}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No operators" text="tollgate operators invite makes the first." />
        }
      />
      <InviteOperator opened={invites} onClose={() => setInvites(false)} onLink={setShown} />
      {changing !== null && (
        <ChangeOperator
          key={`${changing.what} ${changing.operator.id}`}
          {...changing}
          onClose={() => setChanging(null)}
          onLink={setShown}
        />
      )}
      <LinkShown shown={shown} onClose={() => setShown(null)} />
    </Page>
  )
}

function columnsOf(
  ownId: string,
  mayChange: boolean,
  onChange: (changing: Changing) => void,
): Column<OperatorSummary>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      fills: true,
      cell: ({ id, name, email }) => (
        <>
          <Text size="sm" fw={500}>
            {name} {id === ownId && '(you)'}
          </Text>
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </>
      ),
    },
    { key: 'role', title: 'Role', cell: ({ role }) => CONSOLE_ROLES[role].title },
    { key: 'state', title: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
    {
      key: 'factor',
      title: 'Second factor',
      cell: ({ hasSecondFactor }) => (hasSecondFactor ? 'on' : 'not yet'),
    },
    {
      key: 'seen',
      title: 'Last seen',
      cell: ({ lastSeenAt }) => (lastSeenAt === null ? 'never' : <When at={lastSeenAt} />),
    },
    {
      key: 'change',
      title: '',
      cell: (operator) =>
        mayChange && operator.id !== ownId && <Changes operator={operator} onChange={onChange} />,
    },
  ]
}

function Changes({
  operator,
  onChange,
}: {
  readonly operator: OperatorSummary
  readonly onChange: (changing: Changing) => void
}) {
  const isActive = operator.state === 'active' || operator.state === 'invited'
  const choices = { role: 'Role', reset: 'Reset', active: isActive ? 'Disable' : 'Enable' }
  return (
    <Group gap={6} wrap="nowrap">
      {(['role', 'reset', 'active'] as const).map((what) => (
        <Button
          key={what}
          size="compact-xs"
          variant="default"
          onClick={() => onChange({ what, operator })}
        >
          {choices[what]}
        </Button>
      ))}
    </Group>
  )
}
