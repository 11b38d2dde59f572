import { Button, Code, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type {
  WebhookAttempt,
  WholeWebhookDelivery,
} from '@tollgate/portal-contract/answers/webhooks'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { showDone } from '../parts/done.ts'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { webhooksChanged } from './use-endpoints.ts'
import classes from './webhooks.module.css'

const REFRESH_MS = 10_000

/** One delivery: its event, and each attempt with request, answer and duration. */
export function DeliveryPage() {
  const { deliveryId } = useParams({ from: '/settings/webhooks/deliveries/$deliveryId' })
  const query = useQuery({
    queryKey: ['webhooks', 'delivery', deliveryId],
    queryFn: ({ signal }) => call(routes.webhooks.delivery, { path: { id: deliveryId }, signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <Found
      query={query}
      title={`Delivery ${deliveryId}`}
      missing={{
        title: `Delivery ${deliveryId} not found`,
        text: 'Check the number. Old deliveries are erased, also with their endpoint.',
        action: <LinkAnchor to="/settings/webhooks/deliveries">All deliveries</LinkAnchor>,
      }}
    >
      {(delivery) => <Shown delivery={delivery} />}
    </Found>
  )
}

function Shown({ delivery }: { readonly delivery: WholeWebhookDelivery }) {
  const { body, endpointId, id, log, object, state } = delivery
  const mayChange = useMay('webhooks.change')
  return (
    <Page
      title={`Delivery ${id}`}
      text={<LinkAnchor to="/settings/webhooks/deliveries">All deliveries</LinkAnchor>}
      actions={mayChange && <SendAgain delivery={delivery} />}
    >
      <Panel title={delivery.type} actions={<StatusBadge state={state} />}>
        <Facts
          facts={[
            ['Event', <Copyable key="event" text={delivery.eventId} />],
            ['Object', `${object.type.replaceAll('_', ' ')} ${object.id}`],
            [
              'Endpoint',
              <LinkAnchor
                key="endpoint"
                inherit
                to="/settings/webhooks/$endpointId"
                params={{ endpointId }}
              >
                {endpointId}: {delivery.url}
              </LinkAnchor>,
            ],
            ['Queued', <When key="queued" at={delivery.createdAt} />],
            ['Next attempt', state === 'pending' ? <When key="due" at={delivery.dueAt} /> : null],
            ['Ended', delivery.endedAt === null ? null : <When key="end" at={delivery.endedAt} />],
          ]}
        />
      </Panel>
      <Panel title="Request body">
        {body === null ? (
          <Text size="sm">The event is no longer kept.</Text>
        ) : (
          <Code block tabIndex={0} className={classes.text} aria-label="Request body">
            {JSON.stringify(JSON.parse(body), null, 2)}
          </Code>
        )}
      </Panel>
      {log.length === 0 && <Text size="sm">There was no attempt yet.</Text>}
      {log.map((attempt, at) => (
        <Attempt key={`${attempt.at} ${at}`} attempt={attempt} number={log.length - at} />
      ))}
    </Page>
  )
}

interface AttemptProps {
  readonly attempt: WebhookAttempt
  readonly number: number
}

function Attempt({ attempt, number }: AttemptProps) {
  const { answer, at, durationMs, fault, headers, status } = attempt
  return (
    <Panel
      title={`Attempt ${number}`}
      actions={<StatusBadge state={fault === '' ? 'delivered' : 'failed'} />}
    >
      <Facts
        facts={[
          ['Sent', <When key="at" at={at} />],
          ['Took', `${durationMs} ms`],
          ['Answer', status === null ? fault : `HTTP ${status}`],
        ]}
      />
      {headers.length > 0 && (
        <Stack gap={4}>
          <Text size="sm">Request headers</Text>
          <Code block tabIndex={0} className={classes.text} aria-label="Request headers">
            {headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
          </Code>
        </Stack>
      )}
      {answer !== '' && (
        <Stack gap={4}>
          <Text size="sm">Answer body</Text>
          <Code block tabIndex={0} className={classes.text} aria-label="Answer body">
            {answer}
          </Code>
        </Stack>
      )}
    </Panel>
  )
}

function SendAgain({
  delivery: { endpointId, id, state },
}: {
  readonly delivery: WholeWebhookDelivery
}) {
  const [isAsking, setAsking] = useState(false)
  const send = async (): Promise<void> => {
    const { count } = await call(routes.webhooks.sendAgain, { path: { id } })
    await webhooksChanged()
    showDone(count === 0 ? 'It is being sent already.' : `Delivery ${id} is queued.`)
  }
  return (
    <>
      <Button onClick={() => setAsking(true)}>Send again</Button>
      <Confirm
        opened={isAsking}
        title={`Send delivery ${id} again?`}
        action="Send again"
        onClose={() => setAsking(false)}
        onConfirm={send}
      >
        <Text size="sm">
          {state === 'delivered'
            ? `Endpoint ${endpointId} accepted it. It gets it again, with the same webhook-id.`
            : `Endpoint ${endpointId} gets the event now, and the retries begin again.`}
        </Text>
      </Confirm>
    </>
  )
}
