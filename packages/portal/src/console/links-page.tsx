import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ConsoleLink } from '@tollgate/portal-contract/answers/console'
import { consoleLinks } from '@tollgate/portal-contract/routes/console'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'

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
  if (found.error !== null && found.data === undefined)
    return <Fault error={found.error} onRetry={() => void found.refetch()} />
  return (
    <Page
      title="Links"
      text={
        'A file describes a link, with its certificates and key: ' +
        'tollgate links put creates or changes one on a node.'
      }
    >
      <DataTable
        label="Links"
        columns={COLUMNS}
        rows={found.data}
        keyOf={({ name }) => name}
        empty={
          <EmptyState title="No links" text="tollgate links put <file.json> makes the first." />
        }
      />
    </Page>
  )
}
