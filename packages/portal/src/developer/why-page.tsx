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
      subject={`transaction ${transactionId}`}
    />
  )
}

export function WhyRequestPage() {
  const { requestId } = useParams({ from: '/developer/requests/$requestId/why' })
  return <Why route={routes.requests.why} id={requestId} subject={`request ${requestId}`} />
}

const VERDICTS = {
  passed: { label: 'Passed', icon: IconCircleCheck },
  decided: { label: 'Decisive', icon: IconFlag },
  skipped: { label: 'Does not apply', icon: IconCircleMinus },
  not_reached: { label: 'Not reached', icon: IconCircleDashed },
} as const

interface WhyProps {
  readonly route: typeof routes.requests.whyTransaction | typeof routes.requests.why
  readonly id: string
  /** The subject of the page, as in its title. */
  readonly subject: string
}

/** Every rule that was looked at, in its sequence, and the one that made the answer. */
function Why({ route, id, subject }: WhyProps) {
  const why = useQuery({
    queryKey: ['developer', 'why', route.path, id],
    queryFn: ({ signal }) => call(route, { path: { id }, signal }),
  })
  const maySeeOrder = useMay('orders.see')
  return (
    <Found
      query={why}
      title={titleOf(subject)}
      missing={{
        title: 'Not found',
        text: 'Check the number. Data of other merchants is not shown.',
        action: (
          <Link className="link" to="/developer/requests">
            Open the request log
          </Link>
        ),
      }}
    >
      {(data) => (
        <Page
          title={titleOf(subject, data.transaction?.state)}
          text="The gateway applies these rules in order. The first rule that fails decides the result."
          actions={
            <>
              {data.request !== null && (
                <LinkButton
                  variant="default"
                  to="/developer/requests/$requestId"
                  params={{ requestId: data.request.id }}
                >
                  Request
                </LinkButton>
              )}
              {data.transaction !== null && maySeeOrder && (
                <LinkButton
                  variant="default"
                  to="/orders/$orderId"
                  params={{ orderId: data.transaction.orderId }}
                >
                  Order
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
        <Panel title="Summary" actions={<StatusBadge state={outcome} />}>
          <Text size="sm" fw={600}>
            {decider?.title}
          </Text>
          <Text size="sm">{decider?.says}</Text>
          {decider?.approve !== null && decider !== undefined && (
            <>
              <Text size="sm" fw={600} mt="sm">
                Change to get an approval
              </Text>
              <Text size="sm">{decider.approve}</Text>
            </>
          )}
        </Panel>
        <Panel title="Details">
          <Facts
            facts={[
              [
                'Request',
                why.request === null
                  ? 'None: the gateway acted automatically, or the request is no longer kept'
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
            Site settings shown as they are now
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
        <Panel title="Messages to the bank">
          <ul className={classes.steps}>
            {why.followed.map((event) => (
              <li key={`${event.kind} ${event.at}`}>
                <Text size="sm">
                  <When at={event.at} />: {FOLLOWED[event.kind]} of{' '}
                  <Amount minor={event.amountMinor} currency={event.currency} />
                  {event.reason === ''
                    ? ''
                    : `, reason: ${REVERSAL_REASONS[event.reason] ?? event.reason}`}
                  , {event.state === 'acknowledged' ? 'confirmed by the bank' : 'not confirmed yet'}
                </Text>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {why.changes.length > 0 && (
        <Panel
          title="Site changes since then"
          actions={
            <Text size="sm" c="dimmed">
              The same request might get another response today
            </Text>
          }
        >
          <ul className={classes.steps}>
            {why.changes.map(({ number, at, actor, operation }) => (
              <li key={number}>
                <Text size="sm">
                  <When at={at} />: {operation}, by {actor}
                </Text>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  )
}

/** `Why transaction 42 was declined`; `state` is the state of the transaction. */
function titleOf(subject: string, state?: string): string {
  return state === 'approved' || state === 'declined'
    ? `Why ${subject} was ${state}`
    : `Why ${subject} got this ${subject.startsWith('request') ? 'response' : 'result'}`
}

const FOLLOWED = { capture: 'Capture', refund: 'Refund', reversal: 'Reversal' } as const

/** By the stored code of a reversal's reason. */
const REVERSAL_REASONS: Readonly<Record<string, string>> = {
  VD: 'voided',
  TO: 'unknown outcome',
  AV: 'failed AVS rule',
  CV: 'failed CVV rule',
  PA: 'partial approval not accepted',
  EX: 'authorization expired',
}

function Step({ step, isGood }: { readonly step: WhyStep; readonly isGood: boolean }) {
  const { label, icon: VerdictIcon } = VERDICTS[step.verdict]
  const isDecider = step.verdict === 'decided'
  const isMuted = step.verdict === 'not_reached' || step.verdict === 'skipped'
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
