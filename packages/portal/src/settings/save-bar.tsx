import { Alert, Button, Group, Paper, Stack, Table, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { showDone } from '../parts/done.ts'
import { ApiFault } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'
import type { Draft } from './draft.tsx'
import classes from './settings.module.css'

/** The name of a value, and its text. */
export type Describe<Values extends object> = {
  readonly [Name in keyof Values]: {
    readonly label: string
    readonly text: (value: Values[Name]) => string
  }
}

interface SaveBarProps<Values extends object> {
  readonly draft: Draft<Values>
  readonly describe: Describe<Values>
  /** Stores what was typed; rejects with an ApiFault. */
  readonly save: (draft: Draft<Values>) => Promise<unknown>
  readonly onFault: (fault: ApiFault | null) => void
  readonly changeDelaySeconds: number
  /** A further note before the save. */
  readonly note?: string | undefined
}

/**
 * Shows the changes before they are saved, and the changes of other users meanwhile. Holds a user
 * who leaves.
 */
export function SaveBar<Values extends object>({
  draft,
  describe,
  save,
  onFault,
  changeDelaySeconds,
  note,
}: SaveBarProps<Values>) {
  const [isReviewing, setReviewing] = useState(false)
  const isDirty = draft.changed.length > 0
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  const run = useMutation({
    mutationFn: () => save(draft),
    onSuccess() {
      draft.reset()
      setReviewing(false)
      onFault(null)
      showDone(`Saved. The change takes effect within ${changeDelaySeconds} seconds.`)
    },
    onError(error) {
      setReviewing(false)
      if (!(error instanceof ApiFault)) return
      onFault(error)
      if (error.code === 'changed_meanwhile')
        void queryClient.invalidateQueries({ queryKey: ['settings'] })
    },
  })
  const textOf = (name: keyof Values & string, of: Values): string =>
    describe[name].text(of[name]) || '(empty)'

  return (
    <>
      {isDirty && draft.theirs.length > 0 && (
        <Alert color="orange" role="alert" title="Another user changed these settings">
          <Stack gap="xs">
            <ScrollTable
              heads={['Setting', 'Your starting value', 'Current value', 'Your value']}
              rows={draft.theirs.map((name) => [
                describe[name].label,
                textOf(name, draft.seen),
                textOf(name, draft.stored),
                draft.changed.includes(name) ? textOf(name, draft.values) : '(not changed)',
              ])}
            />
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={draft.reset}>
                Discard my changes
              </Button>
              <Button size="xs" variant="default" onClick={draft.rebase}>
                Keep my values
              </Button>
            </Group>
          </Stack>
        </Alert>
      )}
      {run.error !== null && isDirty && draft.theirs.length === 0 && (
        <Alert color="red" role="alert">
          {run.error.message}
        </Alert>
      )}
      {isDirty && (
        <Paper withBorder className={classes.bar} p="sm" role="region" aria-label="Unsaved changes">
          <Group justify="space-between" gap="sm">
            <Text size="sm">
              <strong>
                {draft.changed.length === 1 ? '1 change' : `${draft.changed.length} changes`}
              </strong>{' '}
              not saved: {draft.changed.map((name) => describe[name].label).join(', ')}
            </Text>
            <Group gap="xs">
              <Button
                variant="default"
                onClick={() => {
                  draft.reset()
                  run.reset()
                  onFault(null)
                }}
              >
                Discard
              </Button>
              <Button onClick={() => setReviewing(true)} disabled={draft.theirs.length > 0}>
                Review and save
              </Button>
            </Group>
          </Group>
        </Paper>
      )}
      <Dialog
        opened={isReviewing}
        onClose={() => setReviewing(false)}
        title="Save these changes?"
        size="lg"
      >
        <Stack
          component="form"
          onSubmit={(event) => {
            event.preventDefault()
            if (!run.isPending) run.mutate()
          }}
        >
          <ScrollTable
            heads={['Setting', 'Now', 'After saving']}
            rows={draft.changed.map((name) => [
              describe[name].label,
              textOf(name, draft.seen),
              textOf(name, draft.values),
            ])}
          />
          {note !== undefined && <Alert color="orange">{note}</Alert>}
          <Text size="sm" c="dimmed">
            The change takes effect within {changeDelaySeconds} seconds.
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setReviewing(false)}>
              Back
            </Button>
            <Button type="submit" loading={run.isPending} data-autofocus>
              Save
            </Button>
          </Group>
        </Stack>
      </Dialog>
      <Dialog
        opened={blocker.status === 'blocked'}
        onClose={() => blocker.status === 'blocked' && blocker.reset()}
        title="Leave without saving?"
      >
        <Stack>
          <Text size="sm">
            Unsaved changes: {draft.changed.map((name) => describe[name].label).join(', ')}.
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button
              variant="default"
              data-autofocus
              onClick={() => blocker.status === 'blocked' && blocker.reset()}
            >
              Stay on page
            </Button>
            <Button
              color="red"
              onClick={() => {
                draft.reset()
                if (blocker.status === 'blocked') blocker.proceed()
              }}
            >
              Discard changes
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}

function ScrollTable({
  heads,
  rows,
}: {
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
}) {
  return (
    <Table.ScrollContainer minWidth={360} type="native">
      <Table>
        <Table.Thead>
          <Table.Tr>
            {heads.map((head) => (
              <Table.Th key={head}>{head}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((cells) => (
            <Table.Tr key={cells[0]}>
              {cells.map((cell, at) => (
                <Table.Td key={heads[at]} className={classes.value}>
                  {cell}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
