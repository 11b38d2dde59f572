import { Skeleton, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import * as routes from '@tollgate/portal-contract/routes'
import { Listed } from '../batches/batch-link.tsx'
import { netOf, transactionsOf } from '../batches/batch-sums.ts'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Panel } from '../parts/panel.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'
import { call } from '../shell/api.ts'

/** The open batch of each merchant account. */
export function NextBatches() {
  const maySee = useMay('batches.see')
  const { siteId } = useSiteChoice()
  const open = useQuery({
    queryKey: ['batches', 'open', siteId],
    queryFn: ({ signal }) =>
      call(routes.batches.list, { query: { state: 'open', site: siteId }, signal }),
    enabled: maySee,
  })
  if (!maySee) return null
  return (
    <Panel title="Open batches">
      {open.error !== null && <Fault error={open.error} onRetry={() => void open.refetch()} />}
      {open.data === undefined ? (
        open.error === null && (
          <Stack gap={10}>
            {Array.from({ length: 3 }, (_, at) => (
              <Skeleton key={at} height={16} />
            ))}
          </Stack>
        )
      ) : (
        <Table.ScrollContainer
          minWidth={420}
          type="native"
          tabIndex={0}
          role="group"
          aria-label="Open batches"
        >
          <Table aria-label="Open batches" horizontalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Batch</Table.Th>
                <Table.Th>Open since</Table.Th>
                <Table.Th ta="right">Transactions</Table.Th>
                <Table.Th ta="right">Net</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {open.data.batches.map((batch) => (
                <Table.Tr key={batch.id}>
                  <Table.Td>
                    <LinkAnchor to="/batches/$batchId" params={{ batchId: batch.id }} size="sm">
                      {batch.id}
                    </LinkAnchor>
                    <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                      account {batch.accountId}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <When at={batch.openedAt} dayOnly />
                  </Table.Td>
                  <Table.Td ta="right">{countText(transactionsOf(batch.sums))}</Table.Td>
                  <Table.Td ta="right">
                    {netOf(batch.sums).map(({ currency, minor }) => (
                      <div key={currency}>
                        <Listed search={{ batch: batch.id, currency }}>
                          <Amount minor={minor} currency={currency} />
                        </Listed>
                      </div>
                    ))}
                    {batch.sums.length === 0 && (
                      <Text span size="sm" c="dimmed">
                        empty
                      </Text>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  )
}
