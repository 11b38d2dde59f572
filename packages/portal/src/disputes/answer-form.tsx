import { Button, Group, List, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { WholeDispute } from '@tollgate/portal-contract/answers/disputes'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { amountText } from '../parts/amount.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { countOf, countText } from '../parts/count-text.ts'
import { showDone } from '../parts/done.ts'
import { Panel } from '../parts/panel.tsx'
import print from '../parts/print.module.css'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { EvidenceFiles } from './evidence-files.tsx'

/** Accepts the case, or contests it with a text and files. Each stage takes one answer. */
export function AnswerForm({ dispute }: { readonly dispute: WholeDispute }) {
  const [text, setText] = useState('')
  const [isContesting, contesting] = useDisclosure()
  const [isAccepting, accepting] = useDisclosure()
  const files = dispute.files.filter(({ answerId, isErased }) => answerId === null && !isErased)
  // An inquiry took no money that could be given up.
  const mayAccept = dispute.state !== 'inquiry'
  const most = dispute.limits.textCharacters
  const isEmpty = text.trim() === '' && files.length === 0
  return (
    <div className={print.unprinted}>
      <Panel title="Your answer">
        <Stack gap="sm">
          <Textarea
            label="Explanation for the issuer"
            description={`At most ${countText(most)} characters. Do not write card numbers.`}
            maxLength={most}
            autosize
            minRows={4}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          {!mayAccept && (
            <Text size="sm">
              An inquiry took no money. Contest it, or refund the order if you agree with the
              cardholder.
            </Text>
          )}
          <EvidenceFiles dispute={dispute} files={files} />
          <Group justify="flex-end" gap="xs">
            {mayAccept && (
              <Button variant="default" onClick={accepting.open}>
                Accept the dispute
              </Button>
            )}
            <Button disabled={isEmpty} onClick={contesting.open}>
              Contest the dispute
            </Button>
          </Group>
        </Stack>
      </Panel>
      <ContestDialog
        dispute={dispute}
        text={text}
        names={files.map(({ name }) => name)}
        opened={isContesting}
        onClose={contesting.close}
      />
      <AcceptDialog dispute={dispute} opened={isAccepting} onClose={accepting.close} />
    </div>
  )
}

interface DialogProps {
  readonly dispute: WholeDispute
  readonly opened: boolean
  readonly onClose: () => void
}

function ContestDialog({
  dispute: { id },
  names,
  onClose,
  opened,
  text,
}: DialogProps & { readonly text: string; readonly names: readonly string[] }) {
  const { length } = text.trim()
  const send = async (): Promise<void> => {
    try {
      await call(routes.disputes.contest, { path: { id }, body: { text: text.trim() } })
      showDone(`The answer to dispute ${id} is on its way to the acquirer.`)
    } finally {
      await everythingChanged()
    }
  }
  return (
    <Confirm
      opened={opened}
      title={`Contest dispute ${id}?`}
      action={`Contest dispute ${id}`}
      onConfirm={send}
      onClose={onClose}
    >
      <Text size="sm">
        This stage takes one answer. The acquirer gets{' '}
        {length === 0 ? 'no text' : `a text of ${countOf(length, 'character')}`} and{' '}
        {names.length === 0 ? 'no files.' : countOf(names.length, 'file') + ':'}
      </Text>
      {names.length > 0 && (
        <List size="sm">
          {names.map((name) => (
            <List.Item key={name}>{name}</List.Item>
          ))}
        </List>
      )}
    </Confirm>
  )
}

function AcceptDialog({ dispute, onClose, opened }: DialogProps) {
  const { amountMinor, currency, id } = dispute
  const amount = amountText(amountMinor, currency)
  const send = async (): Promise<void> => {
    try {
      await call(routes.disputes.accept, { path: { id } })
      showDone(`Dispute ${id} is accepted.`)
    } finally {
      await everythingChanged()
    }
  }
  return (
    <Confirm
      opened={opened}
      title={`Accept dispute ${id}?`}
      action={`Give up ${amount}`}
      dangerous
      onConfirm={send}
      onClose={onClose}
    >
      <Text size="sm">
        You give up {amount}: the money stays with the cardholder. The dispute fee is not returned.
        You cannot contest the case afterwards.
      </Text>
    </Confirm>
  )
}
