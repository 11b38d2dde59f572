import { Box, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReconRun } from '@tollgate/portal-contract/answers/reconciliation'
import * as routes from '@tollgate/portal-contract/routes'
import { actorText } from '../parts/actor-text.ts'
import { countOf, countText } from '../parts/count-text.ts'
import { Facts } from '../parts/facts.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import print from '../parts/print.module.css'
import { timeText } from '../parts/when.tsx'
import { useSession } from '../session/session.ts'
import { call } from '../shell/api.ts'
import classes from './certificate.module.css'
import { FiguresTable } from './figures-table.tsx'

/** A comparison on paper: when, what, how many, and the sums of each of the books. */
export function CertificatePage() {
  const { runId } = useParams({ from: '/reconciliation/runs/$runId' })
  const { merchant } = useSession()
  const run = useQuery({
    queryKey: ['reconciliation', 'run', runId],
    queryFn: ({ signal }) => call(routes.reconciliation.run, { path: { id: runId }, signal }),
  })
  const { data } = run
  const agrees = data?.state === 'done' && data.differences === 0
  return (
    <Page
      title={agrees ? 'Certificate of agreement' : `Comparison ${runId}`}
      text={
        <span className={print.unprinted}>
          <LinkAnchor to="/reconciliation" size="sm">
            Reconciliation
          </LinkAnchor>
        </span>
      }
      actions={data?.state === 'done' && <PageFiles />}
    >
      {run.error !== null && <Fault error={run.error} onRetry={() => void run.refetch()} />}
      {data === undefined ? (
        run.error === null && <Skeleton height={320} />
      ) : (
        <Paper withBorder p="lg" className={print.sheet}>
          <Stack gap="md">
            <Text>{sentence(data)}</Text>
            <Facts
              facts={[
                ['Merchant', `${merchant.name} (${merchant.id})`],
                ['Comparison', data.id],
                [
                  'Requested',
                  `${timeText(data.requestedAt)} by ${data.requestedBy === 'gateway' ? 'the daily schedule' : actorText(data.requestedBy)}`,
                ],
                ['Finished', data.finishedAt === null ? null : timeText(data.finishedAt)],
                [
                  'Compared',
                  'approved, captured and refunded amounts of each order of accounts with the bundled bank',
                ],
                ['Orders', data.orders === null ? null : countText(data.orders)],
                ['Differences', data.differences === null ? null : countText(data.differences)],
              ]}
            />
            {data.totals.map(({ currency, orders, gateway, ledger, bank }) => (
              <Box key={currency}>
                <Title order={2} size="h5" mb={4}>
                  {currency}, {countOf(orders, 'order')}
                </Title>
                <FiguresTable
                  label={`Sums in ${currency}`}
                  currency={currency}
                  books={[
                    ['Gateway', gateway],
                    ['Ledger', ledger],
                    ['Bank', bank],
                  ]}
                />
              </Box>
            ))}
            {agrees && (
              <Group gap="xl">
                <Text size="sm" c="dimmed" className={classes.signature}>
                  Date
                </Text>
                <Text size="sm" c="dimmed" className={classes.signature}>
                  Signature
                </Text>
              </Group>
            )}
          </Stack>
        </Paper>
      )}
    </Page>
  )
}

function sentence({ state, orders, differences, fault }: ReconRun): string {
  if (state === 'failed') return `The comparison failed: ${fault}`
  if (state !== 'done') return 'The comparison is still running.'
  if (differences === 0)
    return `Gateway, ledger and bank agree on all ${countOf(orders ?? 0, 'order')}.`
  return `${countText(differences ?? 0)} of ${countOf(orders ?? 0, 'order')} ${differences === 1 ? 'differs' : 'differ'}.`
}
