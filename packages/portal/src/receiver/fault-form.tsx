import { Button, Group, NumberInput, Select, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type {
  ReceiverState,
  WebhookFault,
  WebhookFaultKind,
} from '@tollgate/portal-contract/answers/receiver'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { showFault } from '../parts/done.ts'
import { Panel } from '../parts/panel.tsx'
import { call } from '../shell/api.ts'
import { FAULTS, faultText } from './receiver-words.ts'

type Endpoint = ReceiverState['endpoints'][number]

interface FaultFormProps {
  readonly siteId: string
  readonly endpoints: readonly Endpoint[]
  readonly mayChange: boolean
  readonly onDone: () => void
}

/** Faults that the events of an endpoint meet. */
export function FaultForm({ endpoints, mayChange, onDone, siteId }: FaultFormProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const endpoint = endpoints.find(({ endpointId }) => endpointId === chosen) ?? endpoints[0]
  const set = useMutation({
    mutationFn: (faults: readonly WebhookFault[]) =>
      call(routes.webhookReceivers.setFaults, {
        path: { id: siteId },
        body: { endpoint: endpoint?.endpointId ?? '', faults },
      }),
    onError: showFault,
    onSettled: onDone,
  })
  const { faults = [] } = endpoint ?? {}
  // A fault with no events left cannot be sent again.
  const active = faults.filter(({ left }) => left !== 0)
  return (
    <Panel
      title="Faults of deliveries"
      actions={
        mayChange &&
        faults.length > 0 && (
          <Button size="compact-sm" variant="default" onClick={() => set.mutate([])}>
            Remove all faults
          </Button>
        )
      }
    >
      <Select
        label="Endpoint"
        maw={420}
        allowDeselect={false}
        data={endpoints.map(({ endpointId, url }) => ({
          value: endpointId,
          label: `${endpointId}: ${url}`,
        }))}
        value={endpoint?.endpointId ?? null}
        onChange={setChosen}
      />
      {faults.length === 0 && (
        <Text size="sm" c="dimmed">
          Events are delivered without faults.
        </Text>
      )}
      <ul aria-label="Faults of the endpoint" hidden={faults.length === 0}>
        {faults.map((fault, at) => (
          <Text component="li" size="sm" key={`${at} ${fault.kind}`}>
            {faultText(fault)}
          </Text>
        ))}
      </ul>
      {mayChange && (
        <NewFault isBusy={set.isPending} onAdd={(fault) => set.mutate([...active, fault])} />
      )}
    </Panel>
  )
}

function NewFault({
  isBusy,
  onAdd,
}: {
  readonly isBusy: boolean
  readonly onAdd: (fault: WebhookFault) => void
}) {
  const [kind, setKind] = useState<WebhookFaultKind>('double')
  const [type, setType] = useState('')
  const [seconds, setSeconds] = useState<string | number>(60)
  const [share, setShare] = useState<string | number>(100)
  const [count, setCount] = useState<string | number>(1)
  return (
    <Group
      align="flex-end"
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (isBusy) return
        const left = count === '' ? null : Number(count)
        onAdd({ kind, type: type.trim(), share: Number(share), seconds: Number(seconds), left })
      }}
    >
      <Select
        label="Fault"
        w={280}
        allowDeselect={false}
        data={[...FAULTS]}
        value={kind}
        onChange={(value) => setKind((value ?? 'double') as WebhookFaultKind)}
      />
      <TextInput
        label="Types"
        placeholder="all"
        w={180}
        value={type}
        onChange={(event) => setType(event.currentTarget.value)}
      />
      {(kind === 'delay' || kind === 'reorder') && (
        <NumberInput
          label="For"
          suffix=" s"
          w={110}
          min={1}
          max={86_400}
          value={seconds}
          onChange={setSeconds}
        />
      )}
      <NumberInput label="Of 100" w={90} min={1} max={100} value={share} onChange={setShare} />
      <NumberInput
        label="Events"
        placeholder="all"
        w={90}
        min={1}
        max={1_000}
        value={count}
        onChange={setCount}
      />
      <Button type="submit" variant="default" loading={isBusy}>
        Add fault
      </Button>
    </Group>
  )
}
