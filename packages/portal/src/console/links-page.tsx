import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ConsoleLink } from '@tollgate/portal-contract/answers/console'
import { consoleLinks, consoleRequests } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { useMayOperate } from './console-session.ts'
import { PutLink } from './put-link.tsx'
import { RequestCard } from './request-card.tsx'

const READ_EVERY_MS = 15_000

const COLUMNS: Column<ConsoleLink>[] = [
  { key: 'name', title: 'Link', cell: ({ name }) => name },
  { key: 'mode', title: 'Mode', cell: ({ mode }) => <ModeBadge mode={mode} /> },
  { key: 'addresses', title: 'Addresses', cell: ({ addresses }) => addresses.join(', ') },
  { key: 'profile', title: 'Profile', cell: ({ profile }) => profile },
  { key: 'institution', title: 'Institution', cell: ({ institutionId }) => institutionId },
  { key: 'tls', title: 'TLS', cell: ({ tls }) => tls },
  { key: 'accounts', title: 'Accounts', cell: ({ accounts }) => accounts.join(', ') },
  {
    key: 'states',
    title: 'State in each process',
    fills: true,
    cell: ({ states }) =>
      states.length === 0
        ? 'No process has reported within 15 seconds.'
        : states.map((state) => <State key={state.worker} state={state} />),
  },
]

function State({ state: link }: { readonly state: ConsoleLink['states'][number] }) {
  const { worker, state, address, signedOnSince, lastError, inFlight } = link
  return (
    <Text size="sm">
      {worker}: {state.replaceAll('_', ' ')} {address}, {inFlight} under way
      {signedOnSince !== null && (
        <>
          , signed on since <When at={signedOnSince} />
        </>
      )}
      {lastError !== null && `; last error: ${lastError}`}
    </Text>
  )
}

/** The links to acquirers, as operators described them and as each process sees them. */
export function LinksPage() {
  const found = useQuery({
    queryKey: ['links'],
    queryFn: ({ signal }) => call(consoleLinks.list, { signal, background: true }),
    refetchInterval: READ_EVERY_MS,
  })
  const requests = useQuery({
    queryKey: ['requests'],
    queryFn: ({ signal }) => call(consoleRequests.list, { signal }),
  })
  const mayChange = useMayOperate('merchants.change')
  const [puts, setPuts] = useState(false)
  if (found.error !== null && found.data === undefined)
    return <Fault error={found.error} onRetry={() => void found.refetch()} />
  return (
    <Page
      title="Links"
      text={
        'A file describes a link, and names its certificates and key. ' +
        'The file is that of tollgate links put.'
      }
      actions={
        mayChange && !puts ? (
          <Button onClick={() => setPuts(true)}>Create or change a link</Button>
        ) : undefined
      }
    >
      {requests.data
        ?.filter(({ state, subject }) => state === 'open' && subject.startsWith('link '))
        .map((request) => (
          <RequestCard key={request.id} request={request} />
        ))}
      {puts && <PutLink onClose={() => setPuts(false)} />}
      <DataTable
        label="Links"
        columns={COLUMNS}
        rows={found.data}
        keyOf={({ name }) => name}
        empty={<EmptyState title="No links" text="The file of a link makes the first." />}
      />
    </Page>
  )
}
