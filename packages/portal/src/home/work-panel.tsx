import { Skeleton, Stack } from '@mantine/core'
import type { HomeWork, OpenAuthorizations } from '@tollgate/portal-contract/answers/home'
import { amountText } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Panel } from '../parts/panel.tsx'
import { timeText } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { DisputesLine } from './disputes-line.tsx'
import { WebhooksLine } from './webhooks-line.tsx'
import { WorkLine } from './work-line.tsx'

interface WorkPanelProps {
  readonly work: HomeWork | undefined
  readonly error: Error | null
  readonly onRetry: () => void
}

/** The open work: each line names it in words, and links to its page. */
export function WorkPanel({ work, error, onRetry }: WorkPanelProps) {
  const maySeeMemberships = useMay('memberships.see')
  return (
    <Panel title="Needs attention">
      {error !== null && <Fault error={error} onRetry={onRetry} />}
      {work === undefined ? (
        error === null && <Placeholder />
      ) : (
        <Stack gap="sm">
          <ExpiringLine expiring={work.expiring} />
          <DisputesLine />
          {maySeeMemberships && (
            <WorkLine isFine={work.pastDue === 0}>
              {work.pastDue === 0 ? (
                'No membership is past due.'
              ) : (
                <>
                  <LinkAnchor
                    to="/memberships"
                    search={{ states: 'past_due' }}
                    size="sm"
                    underline="always"
                  >
                    {work.pastDue === 1
                      ? '1 membership is past due'
                      : `${countText(work.pastDue)} memberships are past due`}
                  </LinkAnchor>
                  : the last renewal is unpaid.
                </>
              )}
            </WorkLine>
          )}
          <WorkLine
            isFine={
              work.advices.oldestAt === null || ageMs(work.now, work.advices.oldestAt) < 60_000
            }
          >
            {work.advices.oldestAt === null
              ? 'All captures, refunds and voids are confirmed by the bank.'
              : `${countText(work.advices.count)} ${work.advices.count === 1 ? 'message is' : 'messages are'} not confirmed by the bank yet, the oldest since ${timeText(work.advices.oldestAt)}. The gateway retries until the bank confirms.`}
          </WorkLine>
          <ConnectionLines links={work.links} />
        </Stack>
      )}
    </Panel>
  )
}

/** Authorizations that expire soon: the count leads to them. */
function ExpiringLine({ expiring }: { readonly expiring: OpenAuthorizations }) {
  const maySee = useMay('orders.see')
  const { amounts, count, firstExpiresAt } = expiring
  if (count === 0)
    return <WorkLine isFine>No authorization expires within the next 3 days.</WorkLine>
  return (
    <WorkLine isFine={false}>
      {maySee ? (
        <LinkAnchor to="/open-authorizations" search={{ soon: true }} size="sm" underline="always">
          {authorizations(count)}
        </LinkAnchor>
      ) : (
        authorizations(count)
      )}{' '}
      within the next 3 days, with{' '}
      {amounts.map(({ minor, currency }) => amountText(minor, currency)).join(', ')} left to
      capture.
      {firstExpiresAt !== null && ` The first expires on ${timeText(firstExpiresAt)}.`}
    </WorkLine>
  )
}

/** Programs of the merchant and banks that the gateway sends to. */
function ConnectionLines({ links }: Pick<HomeWork, 'links'>) {
  return (
    <>
      <WebhooksLine />
      {links.map(({ name, state, lastError }) => (
        <WorkLine key={name} isFine={state === 'up'}>
          {state === 'up'
            ? `The link to ${name} is up.`
            : `The link to ${name} is ${state === 'down' ? 'down' : 'signing on'}: payments fail until it is up.${lastError === null ? '' : ` ${lastError}`}`}
        </WorkLine>
      ))}
    </>
  )
}

function Placeholder() {
  return (
    <Stack gap={10}>
      {Array.from({ length: 4 }, (_, at) => (
        <Skeleton key={at} height={16} />
      ))}
    </Stack>
  )
}

function authorizations(count: number): string {
  return count === 1 ? '1 authorization expires' : `${countText(count)} authorizations expire`
}

/**
 * By the machine's clock on both sides; a site's own clock may run ahead, and makes nothing late.
 */
function ageMs(now: string, since: string): number {
  return Math.min(Date.parse(now), Date.now()) - Date.parse(since)
}
