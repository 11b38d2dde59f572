import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { consoleRequests } from '@tollgate/portal-contract/routes/console'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { call } from '../shell/api.ts'
import { KeyRequest } from './key-request.tsx'
import { RequestCard } from './request-card.tsx'

/** Operations that wait for a second operator, and those that were decided. */
export function RequestsPage() {
  const found = useQuery({
    queryKey: ['requests'],
    queryFn: ({ signal }) => call(consoleRequests.list, { signal }),
  })
  if (found.error !== null)
    return <Fault error={found.error} onRetry={() => void found.refetch()} />
  return (
    <Page
      title="Requests"
      text="A second operator confirms these within 24 hours."
      actions={<KeyRequest />}
    >
      {found.data?.length === 0 ? (
        <EmptyState
          title="No requests"
          text="A live merchant to disable, a higher limit, or another operator's role or reset."
        />
      ) : (
        <Stack gap="sm">
          {found.data?.map((request) => (
            <RequestCard key={request.id} request={request} />
          ))}
        </Stack>
      )}
    </Page>
  )
}
