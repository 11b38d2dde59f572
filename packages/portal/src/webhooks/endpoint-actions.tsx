import { Button, Menu, Select, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { WebhookEndpoint, WebhookEndpoints } from '@tollgate/portal-contract/answers/webhooks'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { countOf } from '../parts/count-text.ts'
import { showDone } from '../parts/done.ts'
import { ShownOnce } from '../settings/shown-once.tsx'
import { call } from '../shell/api.ts'
import { EditEndpoint } from './endpoint-form.tsx'
import { webhooksChanged } from './use-endpoints.ts'

interface EndpointActionsProps {
  readonly endpoint: WebhookEndpoint
  readonly known: WebhookEndpoints
}

type Asked = 'edit' | 'rotate' | 'removeOldSecret' | 'pause' | 'resume' | 'remove' | 'sendAgain'

/** Everything that a user may do with an endpoint. */
export function EndpointActions({ endpoint, known }: EndpointActionsProps) {
  const { id, secretsMadeAt, state } = endpoint
  const [asked, setAsked] = useState<Asked | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const close = (): void => setAsked(null)
  const test = async (): Promise<void> => {
    await call(routes.webhooks.test, { path: { id } })
    await webhooksChanged()
    showDone('The event endpoint.tested is queued.')
  }
  return (
    <>
      <Button onClick={() => setAsked('edit')}>Edit</Button>
      <Button variant="default" onClick={() => setAsked(state === 'enabled' ? 'pause' : 'resume')}>
        {state === 'enabled' ? 'Pause' : 'Resume'}
      </Button>
      <Button variant="default" onClick={() => setAsked('sendAgain')}>
        Send failed again
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void test()}>Send a test event</Menu.Item>
          {secretsMadeAt.length < 2 ? (
            <Menu.Item onClick={() => setAsked('rotate')}>Create new secret</Menu.Item>
          ) : (
            <Menu.Item onClick={() => setAsked('removeOldSecret')}>Remove older secret</Menu.Item>
          )}
          <Menu.Item color="red" onClick={() => setAsked('remove')}>
            Remove endpoint
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked === 'edit' && <EditEndpoint endpoint={endpoint} known={known} onClose={close} />}
      <SendFailedAgain id={id} opened={asked === 'sendAgain'} onClose={close} />
      <Questions id={id} asked={asked} onClose={close} onSecret={setSecret} />
      <ShownOnce
        secret={secret}
        title={`New secret of endpoint ${id}`}
        text="Let your program verify with both secrets. Then remove the older one here."
        onClose={() => setSecret(null)}
      />
    </>
  )
}

interface QuestionsProps {
  readonly id: string
  readonly asked: Asked | null
  readonly onClose: () => void
  readonly onSecret: (secret: string) => void
}

function Questions({ asked, id, onClose, onSecret }: QuestionsProps) {
  const navigate = useNavigate()
  const path = { id }
  const of = (key: Asked) => ({ opened: asked === key, onClose })
  const done = async (message: string): Promise<void> => {
    await webhooksChanged()
    showDone(message)
  }
  return (
    <>
      <Confirm
        {...of('rotate')}
        title={`Create a new secret for endpoint ${id}?`}
        action="Create new secret"
        onConfirm={async () => {
          onSecret((await call(routes.webhooks.rotate, { path })).secret)
          await webhooksChanged()
        }}
      >
        <Text size="sm">Both secrets sign each webhook until you remove the older one.</Text>
      </Confirm>
      <Confirm
        {...of('removeOldSecret')}
        title={`Remove the older secret of endpoint ${id}?`}
        action="Remove older secret"
        dangerous
        onConfirm={async () => {
          await call(routes.webhooks.removeOldSecret, { path })
          await done(`Endpoint ${id} has one secret now.`)
        }}
      >
        <Text size="sm">Programs that verify with it alone refuse webhooks from now on.</Text>
      </Confirm>
      <Confirm
        {...of('pause')}
        title={`Pause endpoint ${id}?`}
        action="Pause"
        onConfirm={async () => {
          await call(routes.webhooks.pause, { path })
          await done(`Endpoint ${id} is paused.`)
        }}
      >
        <Text size="sm">Events wait, and are sent once you resume the endpoint.</Text>
      </Confirm>
      <Confirm
        {...of('resume')}
        title={`Resume endpoint ${id}?`}
        action="Resume"
        onConfirm={async () => {
          await call(routes.webhooks.resume, { path })
          await done(`Endpoint ${id} is enabled.`)
        }}
      >
        <Text size="sm">It gets everything that waits, as far as the feed still has it.</Text>
      </Confirm>
      <Confirm
        {...of('remove')}
        title={`Remove endpoint ${id}?`}
        action="Remove endpoint"
        dangerous
        onConfirm={async () => {
          await call(routes.webhooks.remove, { path })
          await navigate({ to: '/settings/webhooks' })
          await done(`Endpoint ${id} was removed.`)
        }}
      >
        <Text size="sm">Its secrets and its log are removed with it. You cannot undo this.</Text>
      </Confirm>
    </>
  )
}

const HOUR_MS = 3_600_000
const PERIODS = [
  { value: '1', label: 'the last hour' },
  { value: '24', label: 'the last 24 hours' },
  { value: '168', label: 'the last 7 days' },
  { value: 'all', label: 'all days that are kept' },
]

interface SendFailedAgainProps {
  readonly id: string
  readonly opened: boolean
  readonly onClose: () => void
}

/** Sends failed deliveries of a period again. */
function SendFailedAgain({ id, onClose, opened }: SendFailedAgainProps) {
  const [hours, setHours] = useState('24')
  const send = async (): Promise<void> => {
    const since =
      hours === 'all' ? null : new Date(Date.now() - Number(hours) * HOUR_MS).toISOString()
    const body = { since }
    const { count } = await call(routes.webhooks.sendFailedAgain, { path: { id }, body })
    await webhooksChanged()
    showDone(`Queued again: ${countOf(count, 'delivery', 'deliveries')}.`)
  }
  return (
    <Confirm
      opened={opened}
      title={`Send failed deliveries of endpoint ${id} again?`}
      action="Send again"
      onClose={onClose}
      onConfirm={send}
    >
      <Stack gap="sm">
        <Select
          label="Events of"
          data={PERIODS}
          value={hours}
          onChange={(value) => setHours(value ?? '24')}
          allowDeselect={false}
        />
        <Text size="sm">They keep their webhook-id, and their retries begin again.</Text>
      </Stack>
    </Confirm>
  )
}
