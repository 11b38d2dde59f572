import { Button, Group, NumberInput, Select } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReceiverManner, WebhookReceiver } from '@tollgate/portal-contract/answers/receiver'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { showDone, showFault } from '../parts/done.ts'
import { Panel } from '../parts/panel.tsx'
import { call } from '../shell/api.ts'
import { MANNERS } from './receiver-words.ts'

const S = 1_000

/** Numbers as their fields hold them; '' for none. */
interface Draft {
  readonly manner: ReceiverManner
  readonly status: string | number
  readonly retryAfter: string | number
  readonly delay: string | number
  readonly count: string | number
}

const EMPTY: Draft = { manner: 'answer', status: 500, retryAfter: '', delay: 0, count: '' }

const NUMBERS = [
  { name: 'status', label: 'Status', w: 90, min: 200, max: 599 },
  { name: 'retryAfter', label: 'Retry-After', w: 110, min: 0, max: 86_400, suffix: ' s' },
  { name: 'delay', label: 'Delay', w: 90, min: 0, max: 30, suffix: ' s' },
  { name: 'count', label: 'Requests', w: 110, min: 1, max: 1_000, placeholder: 'all' },
] as const

/** How a receiver answers its next requests. */
export function AnswerForm({
  onDone,
  receivers,
  siteId,
}: {
  readonly siteId: string
  readonly receivers: readonly WebhookReceiver[]
  readonly onDone: () => void
}) {
  const [chosen, setChosen] = useState<string | null>(null)
  const [draft, setDraft] = useState(EMPTY)
  const receiver = receivers.find(({ id }) => id === chosen)?.id ?? receivers[0]?.id ?? ''
  const set = useMutation({
    mutationFn: () =>
      call(routes.webhookReceivers.setAnswer, {
        path: { id: siteId },
        body: { receiver, ...answerOf(draft) },
      }),
    onSuccess: () => showDone('The receiver answers so from now on.'),
    onError: showFault,
    onSettled: onDone,
  })
  return (
    <Panel title="Next answers">
      <Group
        align="flex-end"
        component="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!set.isPending) set.mutate()
        }}
      >
        <Select
          label="Receiver"
          w={180}
          allowDeselect={false}
          data={receivers.map(({ endpointId, id }) => ({
            value: id,
            label: `of endpoint ${endpointId}`,
          }))}
          value={receiver}
          onChange={setChosen}
        />
        <AnswerFields draft={draft} onChange={setDraft} />
        <Button type="submit" variant="default" loading={set.isPending}>
          Set answer
        </Button>
      </Group>
    </Panel>
  )
}

function AnswerFields({
  draft,
  onChange,
}: {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}) {
  return (
    <>
      <Select
        label="Answer"
        w={180}
        allowDeselect={false}
        data={[...MANNERS]}
        value={draft.manner}
        onChange={(value) => onChange({ ...draft, manner: (value ?? 'answer') as ReceiverManner })}
      />
      {NUMBERS.map(({ name, ...field }) => (
        <NumberInput
          key={name}
          {...field}
          value={draft[name]}
          onChange={(value) => onChange({ ...draft, [name]: value })}
        />
      ))}
    </>
  )
}

function answerOf({ count, delay, manner, retryAfter, status }: Draft) {
  return {
    manner,
    status: Number(status),
    retryAfterS: retryAfter === '' ? null : Number(retryAfter),
    delayMs: Math.round(Number(delay) * S),
    left: count === '' ? null : Number(count),
  }
}
