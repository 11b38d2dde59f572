import { Alert, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { WholeSettlementDifference } from '@tollgate/portal-contract/answers/differences'
import { CHOSEN_ENDS, type ChosenEnd } from '@tollgate/portal-contract/difference-words'
import * as routes from '@tollgate/portal-contract/routes'
import { useState, type ReactNode } from 'react'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'

const MOST_CHARACTERS = 2_000

/** Gives a difference to a user of the merchant. */
export function OwnerForm({ difference }: { readonly difference: WholeSettlementDifference }) {
  const { id, owner, owners } = difference
  const [chosen, setChosen] = useState(owner)
  return (
    <OperationForm
      action="Save owner"
      done="The owner is saved."
      disabled={chosen === '' || chosen === owner}
      send={() => call(routes.differences.assign, { path: { id }, body: { owner: chosen } })}
    >
      <Select
        label="Assign to"
        data={owners.map(({ email, name }) => ({ value: email, label: `${name} · ${email}` }))}
        value={owners.some(({ email }) => email === chosen) ? chosen : null}
        onChange={(value) => setChosen(value ?? '')}
        allowDeselect={false}
      />
    </OperationForm>
  )
}

/** Adds a note, which never changes. */
export function NoteForm({ id }: { readonly id: string }) {
  const [text, setText] = useState('')
  return (
    <OperationForm
      action="Add note"
      done="The note is saved."
      disabled={text.trim() === ''}
      send={() => call(routes.differences.note, { path: { id }, body: { text } })}
      onDone={() => setText('')}
    >
      <Textarea
        label="Note"
        maxLength={MOST_CHARACTERS}
        autosize
        minRows={2}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </OperationForm>
  )
}

/** Ends a difference for a reason. */
export function EndForm({
  difference: { code, id },
}: {
  readonly difference: WholeSettlementDifference
}) {
  const [end, setEnd] = useState<ChosenEnd | null>(null)
  const [reason, setReason] = useState('')
  const ends = Object.entries(CHOSEN_ENDS)
    .filter(([value]) => value !== 'not_ours' || code !== 'missing_at_bank')
    .map(([value, label]) => ({ value, label }))
  return (
    <OperationForm
      action="End difference"
      done={`Settlement difference ${id} ended.`}
      disabled={end === null || reason.trim() === ''}
      send={() =>
        end === null
          ? Promise.resolve()
          : call(routes.differences.end, { path: { id }, body: { as: end, reason } })
      }
    >
      <Text size="sm">
        An end moves no money, and an ended difference stays ended. To write an amount off, ask the
        operator.
      </Text>
      <Select
        label="Ends because"
        data={ends}
        value={end}
        onChange={(value) => setEnd(isEnd(value) ? value : null)}
      />
      <Textarea
        label="Cause and action taken"
        maxLength={MOST_CHARACTERS}
        autosize
        minRows={2}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </OperationForm>
  )
}

function isEnd(value: string | null): value is ChosenEnd {
  return value !== null && Object.hasOwn(CHOSEN_ENDS, value)
}

interface OperationFormProps {
  /** The text of the button. */
  readonly action: string
  readonly done: string
  readonly disabled: boolean
  readonly send: () => Promise<unknown>
  readonly onDone?: () => void
  readonly children: ReactNode
}

/** A form with one button; what the gateway refuses stands above it. */
function OperationForm({ action, children, disabled, done, onDone, send }: OperationFormProps) {
  const queries = useQueryClient()
  const run = useMutation({
    mutationFn: send,
    onSuccess: () => {
      showDone(done)
      onDone?.()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['settlement-differences'] }),
  })
  return (
    <Stack
      component="form"
      gap="sm"
      onSubmit={(event) => {
        event.preventDefault()
        if (!disabled && !run.isPending) run.mutate()
      }}
    >
      {children}
      {run.error !== null && (
        <Alert color="red" role="alert">
          {run.error.message}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button type="submit" disabled={disabled} loading={run.isPending}>
          {action}
        </Button>
      </Group>
    </Stack>
  )
}
