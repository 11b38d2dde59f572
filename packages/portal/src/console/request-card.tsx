import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import type { ConsoleRequest, OperatorLink } from '@tollgate/portal-contract/answers/console'
import { consoleRequests } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { LinkShown } from '../users/link-shown.tsx'
import { useConsoleSession } from './console-session.ts'

type Deciding = 'approve' | 'refuse' | 'withdraw'

const WORDS: Readonly<Record<Deciding, { readonly action: string; readonly done: string }>> = {
  approve: { action: 'Approve', done: 'The request was approved, and it is done.' },
  refuse: { action: 'Reject', done: 'The request was rejected.' },
  withdraw: { action: 'Withdraw', done: 'The request was withdrawn.' },
}

const ALLOWED = 'The request was approved. A command may do it once, within the 24 hours.'

/** A request that waits, or waited, for a second operator; with the decisions that are left. */
export function RequestCard({ request }: { readonly request: ConsoleRequest }) {
  const { id, sentence, state, requestedBy } = request
  const { operator, rights } = useConsoleSession()
  const [deciding, setDeciding] = useState<Deciding | null>(null)
  const [link, setLink] = useState<OperatorLink | null>(null)
  const isOwn = requestedBy.id === operator.id
  const isOnKeys = /^(?:data key |key-encrypting key$)/.test(request.subject)
  const mayDecide = rights.includes(
    isOnKeys
      ? 'keys.change'
      : request.subject.startsWith('operator ')
        ? 'operators.change'
        : 'merchants.change',
  )
  const effect = isOnKeys ? 'allows a command to do it, once.' : 'does it at once.'
  const choices: readonly Deciding[] =
    state !== 'open' || !mayDecide ? [] : isOwn ? ['withdraw'] : ['approve', 'refuse']
  const decide = async (what: Deciding): Promise<void> => {
    if (what === 'approve') {
      const approved = await call(consoleRequests.approve, { path: { id } })
      setLink(approved.link)
    } else await call(consoleRequests[what], { path: { id } })
    showDone(isOnKeys && what === 'approve' ? ALLOWED : WORDS[what].done)
    await everythingChanged()
  }
  return (
    <Paper withBorder p="md" component="section" aria-label={sentence}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Words request={request} />
        <Group gap="xs">
          {choices.map((what) => (
            <Button
              key={what}
              variant={what === 'approve' ? 'filled' : 'default'}
              onClick={() => setDeciding(what)}
            >
              {WORDS[what].action}
            </Button>
          ))}
        </Group>
      </Group>
      <Confirm
        opened={deciding !== null}
        title={deciding === null ? '' : `${WORDS[deciding].action}: ${sentence}`}
        action={deciding === null ? '' : WORDS[deciding].action}
        dangerous={deciding === 'approve'}
        onConfirm={() => (deciding === null ? Promise.resolve() : decide(deciding))}
        onClose={() => setDeciding(null)}
      >
        <Text size="sm">
          {deciding === 'approve'
            ? `${requestedBy.name} requested this. Your approval ${effect}`
            : 'Nothing changes.'}
        </Text>
      </Confirm>
      <LinkShown
        shown={link === null ? null : { link, name: request.subject }}
        onClose={() => setLink(null)}
      />
    </Paper>
  )
}

function Words({ request }: { readonly request: ConsoleRequest }) {
  const { sentence, reason, state, requestedBy, requestedAt, expiresAt } = request
  const { decidedBy, decidedAt } = request
  return (
    <Stack gap={4} flex="1 1 320px" miw={0}>
      <Group gap="xs">
        <Text fw={600}>{sentence}</Text>
        <StatusBadge
          state={state}
          label={state === 'open' ? 'waits for a second operator' : state}
        />
      </Group>
      <Text size="sm" c="dimmed">
        {requestedBy.name} requested this on <When at={requestedAt} />
        {reason !== '' && `: ${reason}`}
      </Text>
      {state === 'open' && (
        <Text size="sm" c="dimmed">
          It expires on <When at={expiresAt} />.
        </Text>
      )}
      {decidedAt !== null && (
        <Text size="sm" c="dimmed">
          {decidedBy === null ? 'It ended' : `${decidedBy} decided`} on <When at={decidedAt} />.
        </Text>
      )}
    </Stack>
  )
}
