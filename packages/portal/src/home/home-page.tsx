import { Alert, SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import * as routes from '@tollgate/portal-contract/routes'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { shownZone } from '../parts/shown-zone.ts'
import { timeText } from '../parts/when.tsx'
import { useSiteChoice } from '../session/site.ts'
import { call } from '../shell/api.ts'
import { FirstSteps } from './first-steps.tsx'
import { HeldUsers } from './held-users.tsx'
import { HomeChartPanel } from './home-chart-panel.tsx'
import { NextBatches } from './next-batches.tsx'
import { PeriodCard } from './period-card.tsx'
import { WorkPanel } from './work-panel.tsx'

const REFRESH_MS = 30_000

/** The figures of the business, and the open work. */
export function HomePage() {
  const { siteId } = useSiteChoice()
  const figures = useQuery({
    queryKey: ['home', siteId],
    queryFn: ({ signal }) => call(routes.home.figures, { query: { site: siteId }, signal }),
    refetchInterval: REFRESH_MS,
  })
  const work = useQuery({
    queryKey: ['home-work', siteId],
    queryFn: ({ signal }) => call(routes.home.work, { query: { site: siteId }, signal }),
    refetchInterval: REFRESH_MS,
  })
  const leftOut = figures.data?.leftOut ?? []
  return (
    <Page
      title="Home"
      text={`Payments count at the time they were received, in days of ${shownZone()}.`}
    >
      {figures.error !== null && (
        <Fault error={figures.error} onRetry={() => void figures.refetch()} />
      )}
      <HeldUsers held={work.data?.heldUsers ?? []} />
      {leftOut.length > 0 && (
        <Alert color="blue" variant="light" py={6}>
          Not included, because their clocks show another time:{' '}
          {leftOut.map(({ name, now }) => `${name} (${timeText(now)})`).join(', ')}. Choose a site
          to see its figures.
        </Alert>
      )}
      {figures.data?.hasPayments === false && <FirstSteps />}
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        {(figures.data?.periods ?? [undefined, undefined, undefined]).map((period, at) => (
          <PeriodCard key={period?.key ?? at} period={period} />
        ))}
      </SimpleGrid>
      <HomeChartPanel />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Stack gap="md">
          <WorkPanel work={work.data} error={work.error} onRetry={() => void work.refetch()} />
        </Stack>
        <NextBatches />
      </SimpleGrid>
    </Page>
  )
}
