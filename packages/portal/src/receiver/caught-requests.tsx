import { Badge, Code, Stack } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { CaughtWebhook } from '@tollgate/portal-contract/answers/receiver'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Copyable } from '../parts/copyable.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { Fault } from '../parts/fault.tsx'
import { Pager } from '../parts/pager.tsx'
import { Panel } from '../parts/panel.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { givenText, VERDICTS } from './receiver-words.ts'

const EVERY_MS = 2_000

const COLUMNS: readonly Column<CaughtWebhook>[] = [
  { key: 'at', title: 'Received', cell: ({ at }) => <When at={at} /> },
  { key: 'site', title: 'Site time', cell: ({ siteAt }) => <When at={siteAt} /> },
  {
    key: 'type',
    title: 'Event',
    fills: true,
    cell: ({ eventType }) => (eventType === '' ? 'no event' : eventType),
  },
  { key: 'verdict', title: 'Signature', cell: ({ verdict }) => <Verdict verdict={verdict} /> },
  { key: 'answer', title: 'Answered', cell: givenText },
]

/** The requests that the receivers of a site caught, the newest first. */
export function CaughtRequests({ siteId }: { readonly siteId: string }) {
  const [openId, setOpenId] = useState<string | null>(null)
  const caught = useInfiniteQuery({
    queryKey: ['developer', 'caught', siteId],
    queryFn: ({ pageParam }) =>
      call(routes.webhookReceivers.caught, {
        path: { id: siteId },
        query: pageParam === '' ? {} : { before: pageParam },
        background: true,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    refetchInterval: EVERY_MS,
  })
  const rows = caught.data?.pages.flatMap((page) => page.rows)
  const open = rows?.find(({ id }) => id === openId)
  return (
    <>
      <Panel title="Caught requests">
        {caught.error !== null ? (
          <Fault error={caught.error} onRetry={() => void caught.refetch()} />
        ) : (
          <>
            <DataTable
              label="Caught requests"
              columns={COLUMNS}
              rows={rows}
              keyOf={({ id }) => id}
              onOpen={({ id }) => setOpenId(id)}
              empty={
                <EmptyState
                  title="No requests"
                  text="The list refreshes by itself. The newest 200 requests of a site are kept."
                />
              }
            />
            <Pager
              label="caught requests"
              nextLabel="Show more"
              isLoading={caught.isFetchingNextPage}
              onNext={caught.hasNextPage ? () => void caught.fetchNextPage() : null}
            />
          </>
        )}
      </Panel>
      {open !== undefined && <Request request={open} />}
    </>
  )
}

function Verdict({ verdict }: Pick<CaughtWebhook, 'verdict'>) {
  const { color, label } = VERDICTS[verdict]
  return (
    <Badge color={color} miw="max-content">
      {label}
    </Badge>
  )
}

function Request({ request }: { readonly request: CaughtWebhook }) {
  const { body, bodyBytes, eventId, eventType, headers, receiverId } = request
  return (
    <Panel title={`Request ${request.id}`}>
      <Stack gap="sm">
        <Facts
          facts={[
            ['Event', eventId === '' ? null : <Copyable key="id" text={eventId} />],
            ['Type', eventType],
            ['Signature', VERDICTS[request.verdict].label],
            ['Answered', givenText(request)],
            ['Receiver', receiverId],
            ['Body', `${bodyBytes} bytes`],
          ]}
        />
        <Code block tabIndex={0} aria-label="Headers" role="region">
          {headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}
        </Code>
        <Code block tabIndex={0} aria-label="Body" role="region">
          {indented(body)}
        </Code>
      </Stack>
    </Panel>
  )
}

/** JSON in lines; any other text as it is. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
