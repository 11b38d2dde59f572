import { Button, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { BatchAccount } from '@tollgate/portal-contract/answers/batches'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { showDone, showFault } from '../parts/done.ts'
import { call } from '../shell/api.ts'

interface CutoffDialogProps {
  readonly accounts: readonly BatchAccount[]
  readonly opened: boolean
  readonly onClose: () => void
}

/** When an account's batch is closed every day without anybody asking. */
export function CutoffDialog({ accounts, opened, onClose }: CutoffDialogProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const account = accounts.find(({ id }) => id === chosen) ?? accounts[0]
  return (
    <Dialog opened={opened} onClose={onClose} title="Daily cut-off">
      {account !== undefined && (
        <Stack>
          {accounts.length > 1 && (
            <Select
              label="Merchant account"
              data={accounts.map(({ id, processorName }) => ({
                value: id,
                label: `${id}, ${processorName}`,
              }))}
              value={account.id}
              onChange={setChosen}
              allowDeselect={false}
            />
          )}
          <CutoffForm key={account.id} account={account} onDone={onClose} />
        </Stack>
      )}
    </Dialog>
  )
}

function CutoffForm({
  account,
  onDone,
}: {
  readonly account: BatchAccount
  readonly onDone: () => void
}) {
  const queries = useQueryClient()
  const [isOn, setOn] = useState(account.cutoffMinute !== null)
  const [time, setTime] = useState(textOf(account.cutoffMinute ?? 0))
  const save = useMutation({
    mutationFn: () =>
      call(routes.batches.setCutoff, {
        path: { id: account.id },
        body: { minute: isOn ? minuteOf(time) : null },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['batches'] })
      showDone(
        isOn
          ? `Account ${account.id} now closes its batch every day at ${time} UTC.`
          : `Automatic batch close is off for account ${account.id}.`,
      )
      onDone()
    },
    onError: showFault,
  })
  return (
    <Stack
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Switch
        label="Close the batch every day"
        checked={isOn}
        onChange={(event) => setOn(event.currentTarget.checked)}
      />
      <TextInput
        type="time"
        label="Time (UTC)"
        value={time}
        disabled={!isOn}
        required={isOn}
        onChange={(event) => setTime(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed">
        An empty batch stays open. Later transactions go into the next batch.
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}

function textOf(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}

function minuteOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}
