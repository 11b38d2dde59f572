import { Button, Group, SegmentedControl, Text, TextInput } from '@mantine/core'
import type { ConsoleFees } from '@tollgate/portal-contract/answers/console-fees'
import { consoleFees } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { Panel } from '../parts/panel.tsx'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { REQUESTED } from './disable-dialog.tsx'
import { firstDraft, planFile } from './plan-draft.ts'
import { PlanForm } from './plan-form.tsx'
import { PlanPreview, usePlanPreview } from './plan-preview.tsx'
import { TextFile } from './text-file.tsx'

const WAYS = [
  { value: 'form', label: 'Form' },
  { value: 'file', label: 'File' },
]

interface NewPlanProps {
  readonly fees: ConsoleFees
  readonly onClose: () => void
}

/** A plan to be set, by its fields or as a file, with its price of a sample payment. */
export function NewPlan({ fees, onClose }: NewPlanProps) {
  const { brands, currencies, merchant } = fees
  const [draft, setDraft] = useState(() => firstDraft(fees))
  const [way, setWay] = useState('form')
  /** The file, and what the form wrote into it. */
  const [file, setFile] = useState({ text: '', written: '' })
  const [confirms, setConfirms] = useState(false)
  const written = planFile(merchant.id, draft)
  const text = way === 'file' ? file.text : written
  const turnTo = (next: string): void => {
    // Nothing that was typed or pasted in the file is lost.
    if (next === 'file' && file.text === file.written) setFile({ text: written, written })
    setWay(next)
  }
  const judged = usePlanPreview(fees, text)
  return (
    <Panel
      title="New plan"
      actions={
        <SegmentedControl
          aria-label="Way to state the plan"
          data={WAYS}
          value={way}
          onChange={turnTo}
        />
      }
    >
      {way === 'form' ? (
        <PlanForm draft={draft} currencies={currencies} brands={brands} onChange={setDraft} />
      ) : (
        <TextFile
          label="File of the plan"
          description="As tollgate fees put reads it. Paste one, or choose one."
          text={file.text}
          onChange={(next) => setFile({ ...file, text: next })}
        />
      )}
      <PlanPreview judged={judged} currencies={currencies} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button disabled={!judged.isValid} onClick={() => setConfirms(true)}>
          Set the plan
        </Button>
      </Group>
      {confirms && (
        <SetPlan
          fees={fees}
          text={text}
          startsOn={judged.preview?.startsOn ?? ''}
          onDone={onClose}
          onClose={() => setConfirms(false)}
        />
      )}
    </Panel>
  )
}

function SetPlan({
  fees: { merchant, needsSecond, plans },
  text,
  startsOn,
  onDone,
  onClose,
}: {
  readonly fees: ConsoleFees
  readonly text: string
  readonly startsOn: string
  readonly onDone: () => void
  readonly onClose: () => void
}) {
  const [reason, setReason] = useState('')
  const replaces = plans.some((plan) => plan.startsOn === startsOn)
  const save = async (): Promise<void> => {
    const body = { plan: text, reason: reason.trim() }
    const { done } = await call(consoleFees.put, { path: { id: merchant.id }, body })
    showDone(done ? `The plan from ${startsOn} was stored.` : REQUESTED)
    await everythingChanged()
    onDone()
  }
  return (
    <Confirm
      opened
      title={`Set the fees of ${merchant.name}`}
      action={needsSecond ? 'Request' : 'Set plan'}
      onConfirm={save}
      onClose={onClose}
    >
      <Text size="sm">
        The plan is in force from {startsOn} until the next one starts.
        {replaces && ' It replaces the plan of that day.'}
      </Text>
      {needsSecond && (
        <>
          <Text size="sm" fw={500}>
            The merchant has a site in live mode. {REQUESTED}
          </Text>
          <TextInput
            label="Reason"
            description="For the second operator."
            maxLength={200}
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </>
      )}
    </Confirm>
  )
}
