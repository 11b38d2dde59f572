import { Group, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed, IconCircleMinus, IconFlag } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { WhyAnswer, WhyStep } from '@tollgate/portal-contract/answers/developer'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount } from '../parts/amount.tsx'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { LinkButton } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import classes from './developer.module.css'

export function WhyTransactionPage() {
  const { transactionId } = useParams({ from: '/developer/why/$transactionId' })
  return (
    <Why
      route={routes.requests.whyTransaction}
      id={transactionId}
      title={`Why transaction ${transactionId} ended so`}
    />
  )
}

export function WhyRequestPage() {
  const { requestId } = useParams({ from: '/developer/requests/$requestId/why' })
  return (
    <Why
      route={routes.requests.why}
      id={requestId}
      title={`Why request ${requestId} was answered so`}
    />
  )
}

const VERDICTS = {
  passed: { label: 'Passed', icon: IconCircleCheck },
  decided: { label: 'This decided', icon: IconFlag },
  not_asked: { label: 'Does not apply', icon: IconCircleMinus },
  not_reached: { label: 'Not reached', icon: IconCircleDashed },
} as const

interface WhyProps {
  readonly route: typeof routes.requests.whyTransaction | typeof routes.requests.why
  readonly id: string
  readonly title: string
}

/** Every rule that was looked at, in its sequence, and the one that made the answer. */
function Why({ route, id, title }: WhyProps) {
  const why = useQuery({
    queryKey: ['developer', 'why', route.path, id],
    queryFn: ({ signal }) => call(route, { path: { id }, signal }),
  })
  const maySeeOrder = useMay('orders.see')
  return (
    <Found
      query={why}
      title={title}
      missing={{
        title: 'There is nothing of this number',
        text: 'It may have been mistyped, or it belongs to another merchant.',
        action: (
          <Link className="link" to="/developer/requests">
            To the request log
          </Link>
        ),
      }}
    >
      {(data) => (
        <Page
          title={title}
          text="The rules in the sequence in which the gateway looks at them. The first that does not pass is the answer."
          actions={
            <>
              {data.request !== null && (
                <LinkButton
                  variant="default"
                  to="/developer/requests/$requestId"
                  params={{ requestId: data.request.id }}
                >
                  The request
                </LinkButton>
              )}
              {data.transaction !== null && maySeeOrder && (
                <LinkButton
                  variant="default"
                  to="/orders/$orderId"
                  params={{ orderId: data.transaction.orderId }}
                >
                  The order
                </LinkButton>
              )}
            </>
          }
        >
          <Answer why={data} />
        </Page>
      )}
    </Found>
  )
}

function Answer({ why }: { readonly why: WhyAnswer }) {
  const decider = why.steps.find(({ verdict }) => verdict === 'decided')
  const outcome = why.transaction?.state ?? why.request?.outcome ?? ''
  return (
    <>
      <div className={classes.halves}>
        <Panel title="In short" actions={<StatusBadge state={outcome} />}>
          <Text size="sm" fw={600}>
            {decider?.title}
          </Text>
          <Text size="sm">{decider?.says}</Text>
          {decider?.approve !== null && decider !== undefined && (
            <>
              <Text size="sm" fw={600} mt="sm">
                What would have been approved
              </Text>
              <Text size="sm">{decider.approve}</Text>
            </>
          )}
        </Panel>
        <Panel title="What it is about">
          <Facts
            facts={[
              [
                'Request',
                why.request === null
                  ? 'Nobody sent one: the gateway did it by itself, or it is kept no longer'
                  : why.request.action,
              ],
              [
                'Received',
                why.request === null ? null : <When key="received" at={why.request.receivedAt} />,
              ],
              [
                'Amount',
                why.transaction === null ? null : (
                  <Amount
                    key="amount"
                    minor={why.transaction.amountMinor}
                    currency={why.transaction.currency}
                  />
                ),
              ],
              ['Site', why.site === null ? null : `${why.site.id} (${why.site.mode})`],
            ]}
          />
        </Panel>
      </div>
      <Panel
        title="Rules"
        actions={
          <Text size="sm" c="dimmed">
            Settings of the site are shown as they are now
          </Text>
        }
      >
        <ol className={classes.steps} aria-label="Rules">
          {why.steps.map((step) => (
            <Step
              key={step.key}
              step={step}
              isGood={outcome === 'approved' || outcome === 'answered'}
            />
          ))}
        </ol>
      </Panel>
      {why.followed.length > 0 && (
        <Panel title="What followed">
          <ul className={classes.steps}>
            {why.followed.map((event) => (
              <li key={`${event.kind} ${event.at}`}>
                <Text size="sm">
                  <When at={event.at} />: {FOLLOWED[event.kind]} of{' '}
                  <Amount minor={event.amountMinor} currency={event.currency} />
                  {event.reason === ''
                    ? ''
                    : `, because of ${event.reason.replaceAll('_', ' ')}`},{' '}
                  {event.state === 'acknowledged' ? 'taken by the bank' : 'on its way to the bank'}
                </Text>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {why.changes.length > 0 && (
        <Panel
          title="Changed at the site since"
          actions={
            <Text size="sm" c="dimmed">
              The same request might be answered differently today
            </Text>
          }
        >
          <ul className={classes.steps}>
            {why.changes.map(({ number, at, actor, act }) => (
              <li key={number}>
                <Text size="sm">
                  <When at={at} />: {act}, by {actor}
                </Text>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  )
}

const FOLLOWED = { capture: 'a capture', refund: 'a refund', reversal: 'a reversal' } as const

function Step({ step, isGood }: { readonly step: WhyStep; readonly isGood: boolean }) {
  const { label, icon: VerdictIcon } = VERDICTS[step.verdict]
  const isDecider = step.verdict === 'decided'
  const isMuted = step.verdict === 'not_reached' || step.verdict === 'not_asked'
  return (
    <li
      className={`${classes.step} ${isDecider ? (isGood ? classes.approved : classes.decided) : ''}`}
      data-step={step.key}
      data-verdict={step.verdict}
    >
      <VerdictIcon
        size={18}
        stroke={1.7}
        aria-hidden
        className={isMuted ? classes.muted : undefined}
      />
      <div>
        <Group justify="space-between" gap="xs">
          <Text size="sm" fw={isDecider ? 600 : 500} c={isMuted ? 'dimmed' : undefined}>
            {step.title}
          </Text>
          <Text size="xs" c={isDecider ? undefined : 'dimmed'} fw={isDecider ? 600 : 400}>
            {label}
          </Text>
        </Group>
        {step.verdict !== 'not_reached' && (
          <Text size="sm" c={isMuted ? 'dimmed' : undefined}>
            {step.says}
          </Text>
        )}
        {step.inputs.length > 0 && (
          <Facts facts={step.inputs.map(([name, value]) => [name ?? '', value] as const)} />
        )}
      </div>
    </li>
  )
}
