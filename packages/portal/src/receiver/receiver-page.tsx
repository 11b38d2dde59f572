import { Alert, Button, Code, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { AddedReceiver, WebhookReceiver } from '@tollgate/portal-contract/answers/receiver'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { useTestSite } from '../developer/test-site.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone, showFault } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'
import { AnswerForm } from './answer-form.tsx'
import { CaughtRequests } from './caught-requests.tsx'
import { FaultForm } from './fault-form.tsx'
import { answerText } from './receiver-words.ts'

const RECEIVERS = ['developer', 'receivers']
const EVERY_MS = 2_000
const TEXT =
  'The sandbox catches webhooks of a test site for you. It judges each signature, and answers ' +
  'badly if you ask for it. Retries follow the clock of the site.'

/** The sandbox's own receivers of webhooks: what they caught, and how they misbehave. */
export function ReceiverPage() {
  const [siteId, choice] = useTestSite()
  return (
    <Page title="Webhook receiver" text={TEXT} actions={choice}>
      {siteId === null ? (
        <EmptyState title="No test sites" text="Live sites have no receiver." />
      ) : (
        <SiteReceivers key={siteId} siteId={siteId} />
      )}
    </Page>
  )
}

function SiteReceivers({ siteId }: { readonly siteId: string }) {
  const mayChange = useMay('developer.change')
  const state = useQuery({
    queryKey: [...RECEIVERS, siteId],
    queryFn: () => call(routes.webhookReceivers.list, { path: { id: siteId }, background: true }),
    refetchInterval: EVERY_MS,
  })
  const changed = (): void =>
    void queryClient.invalidateQueries({ queryKey: [...RECEIVERS, siteId] })
  if (state.error !== null) {
    return <Fault error={state.error} onRetry={() => void state.refetch()} />
  }
  const { endpoints = [], receivers } = state.data ?? {}
  return (
    <>
      <Receivers siteId={siteId} receivers={receivers} onChange={changed} />
      {mayChange && receivers !== undefined && receivers.length > 0 && (
        <AnswerForm siteId={siteId} receivers={receivers} onDone={changed} />
      )}
      {endpoints.length > 0 && (
        <FaultForm siteId={siteId} endpoints={endpoints} mayChange={mayChange} onDone={changed} />
      )}
      <CaughtRequests siteId={siteId} />
    </>
  )
}

function Receivers({
  onChange,
  receivers,
  siteId,
}: {
  readonly siteId: string
  readonly receivers: readonly WebhookReceiver[] | undefined
  readonly onChange: () => void
}) {
  const mayChange = useMay('developer.change')
  const [added, setAdded] = useState<AddedReceiver | null>(null)
  const add = useMutation({
    mutationFn: () =>
      call(routes.webhookReceivers.add, { path: { id: siteId }, body: { types: [] } }),
    onSuccess: setAdded,
    onError: showFault,
    onSettled: onChange,
  })
  const remove = useMutation({
    mutationFn: (receiver: string) =>
      call(routes.webhookReceivers.remove, { path: { id: siteId }, body: { receiver } }),
    onSuccess: () => showDone('Receiver removed, with its endpoint.'),
    onError: showFault,
    onSettled: onChange,
  })
  const columns = columnsOf(mayChange ? remove.mutate : null)
  return (
    <Panel
      title="Receivers"
      actions={
        mayChange && (
          <Button size="compact-sm" loading={add.isPending} onClick={() => add.mutate()}>
            Add receiver
          </Button>
        )
      }
    >
      {added !== null && <NewSecret added={added} onClose={() => setAdded(null)} />}
      <DataTable
        label="Receivers"
        columns={columns}
        rows={receivers}
        keyOf={({ id }) => id}
        empty={
          <EmptyState
            title="No receivers"
            text="Add a receiver, make a payment, and see its webhooks below."
          />
        }
      />
    </Panel>
  )
}

function NewSecret({
  added,
  onClose,
}: {
  readonly added: AddedReceiver
  readonly onClose: () => void
}) {
  return (
    <Alert
      color="orange"
      title={`The secret of endpoint ${added.endpointId}`}
      withCloseButton
      closeButtonLabel="Hide the secret"
      onClose={onClose}
    >
      <Group gap="xs">
        <Code data-testid="secret">{added.secret}</Code>
        <Text size="sm">This is shown only once.</Text>
      </Group>
    </Alert>
  )
}

function columnsOf(
  onRemove: ((receiver: string) => void) | null,
): readonly Column<WebhookReceiver>[] {
  return [
    { key: 'endpoint', title: 'Endpoint', cell: ({ endpointId }) => endpointId },
    {
      key: 'url',
      title: 'Address',
      fills: true,
      cell: ({ url }) => <Copyable text={url} label={url.slice(url.lastIndexOf('/') + 1)} />,
    },
    { key: 'answer', title: 'Next answer', cell: answerText },
    {
      key: 'remove',
      title: 'Remove',
      cell: ({ endpointId, id }) =>
        onRemove !== null && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => onRemove(id)}
            aria-label={`Remove the receiver of endpoint ${endpointId}`}
          >
            Remove
          </Button>
        ),
    },
  ]
}
