import { Anchor, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ConsoleMerchant } from '@tollgate/portal-contract/answers/console'
import type { SupportVisit } from '@tollgate/portal-contract/answers/portal-users'
import { consoleVisits } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Panel } from '../parts/panel.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { useConsoleSession, useMayOperate } from './console-session.ts'

const MINUTES = ['15', '30', '60', '120', '240']

/** Visits to the portal of a merchant, and the way to begin and end one. */
export function VisitsPanel({ merchant }: { readonly merchant: ConsoleMerchant }) {
  const { id } = merchant
  const { email } = useConsoleSession().operator
  const mayVisit = useMayOperate('support.visit')
  const [opened, setOpened] = useState(false)
  const { data = [] } = useQuery({
    queryKey: ['visits', id],
    queryFn: ({ signal }) => call(consoleVisits.list, { path: { id }, signal }),
  })
  const end = async (visit: string): Promise<void> => {
    await call(consoleVisits.end, { path: { id: visit } })
    showDone('The support visit is over.')
    await everythingChanged()
  }
  const state: Column<SupportVisit> = {
    key: 'state',
    title: 'Ended',
    cell: ({ id: visit, operator, endedAt, endedBy }) =>
      endedAt !== null ? (
        <>
          <When at={endedAt} /> {endedBy === '' ? '' : `by ${endedBy}`}
        </>
      ) : (
        <Group gap="sm">
          {operator.email === email && <Anchor href="/portal/">Open the portal</Anchor>}
          {mayVisit && (
            <Button size="compact-sm" variant="default" onClick={() => void end(visit)}>
              End visit
            </Button>
          )}
        </Group>
      ),
  }
  return (
    <Panel
      title="Support visits"
      actions={
        mayVisit ? (
          <Button variant="default" onClick={() => setOpened(true)}>
            Visit the portal
          </Button>
        ) : undefined
      }
    >
      <DataTable
        label="Support visits"
        columns={[...COLUMNS, state]}
        rows={data}
        keyOf={({ id: visit }) => visit}
        empty={<EmptyState title="No visits" text="No operator has visited this portal." />}
      />
      <VisitDialog merchant={merchant} opened={opened} onClose={() => setOpened(false)} />
    </Panel>
  )
}

const COLUMNS: Column<SupportVisit>[] = [
  { key: 'operator', title: 'Operator', cell: ({ operator }) => operator.name },
  { key: 'reason', title: 'Reason', fills: true, cell: ({ reason }) => reason },
  { key: 'begun', title: 'Begun', cell: ({ begunAt }) => <When at={begunAt} /> },
]

interface VisitProps {
  readonly merchant: ConsoleMerchant
  readonly opened: boolean
  readonly onClose: () => void
}

function VisitDialog({ merchant: { id, name }, opened, onClose }: VisitProps) {
  const [reason, setReason] = useState('')
  const [minutes, setMinutes] = useState('30')
  const begin = async (): Promise<void> => {
    const body = { reason: reason.trim(), minutes: Number(minutes) }
    await call(consoleVisits.begin, { path: { id }, body })
    window.location.assign('/portal/')
  }
  return (
    <Confirm
      opened={opened}
      title={`Visit the portal of ${name}`}
      action="Begin the visit"
      disabled={reason.trim().length < 3}
      onConfirm={begin}
      onClose={onClose}
    >
      <Text size="sm">
        You see the pages of the merchant, and can change nothing. The merchant&apos;s users see
        your name and the reason. An owner or admin of the merchant may end the visit at once.
      </Text>
      <TextInput
        label="Reason"
        description="3 to 200 characters. The merchant and both audit logs have it."
        required
        maxLength={200}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <NativeSelect
        label="Minutes"
        data={MINUTES}
        value={minutes}
        onChange={(event) => setMinutes(event.currentTarget.value)}
      />
    </Confirm>
  )
}
