import { Alert, Button, FileButton, Group, List, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { LinkPreview } from '@tollgate/portal-contract/answers/console'
import { consoleLinks } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone } from '../parts/done.ts'
import { Panel } from '../parts/panel.tsx'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { REQUESTED } from './disable-dialog.tsx'
import { ReasonField } from './reason-field.tsx'
import { TextFile } from './text-file.tsx'

interface Pem {
  readonly name: string
  readonly text: string
}

type Judged = NonNullable<LinkPreview['link']>

/** A link to be created or changed by its file, with what that changes. */
export function PutLink({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState('')
  const [pem, setPem] = useState<readonly Pem[]>([])
  const [confirms, setConfirms] = useState(false)
  // Not a query: its key would keep the private key in the memory of the page.
  const preview = useMutation({
    mutationFn: () => call(consoleLinks.preview, { body: { file, pem } }),
    gcTime: 0,
  })
  const edit = (change: () => void): void => {
    change()
    preview.reset()
  }
  const faults = preview.error === null ? preview.data?.faults : [preview.error.message]
  const judged = preview.data?.link ?? null
  return (
    <Panel title="Create or change a link">
      <TextFile
        label="File of the link"
        description="As tollgate links put reads it. Its name decides which link it changes."
        text={file}
        onChange={(text) => edit(() => setFile(text))}
      />
      <PemFiles pem={pem} onChange={(files) => edit(() => setPem(files))} />
      {faults !== undefined && faults.length > 0 && (
        <Alert color="red" role="alert" title="This link cannot be set">
          <List size="sm">
            {faults.map((fault) => (
              <List.Item key={fault}>{fault}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {judged !== null && <Changes link={judged} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        {judged === null ? (
          <Button
            disabled={file.trim() === ''}
            loading={preview.isPending}
            onClick={() => preview.mutate()}
          >
            Preview
          </Button>
        ) : (
          <Button onClick={() => setConfirms(true)}>Set the link</Button>
        )}
      </Group>
      {confirms && judged !== null && (
        <SetLink
          link={judged}
          files={{ file, pem }}
          onDone={onClose}
          onClose={() => setConfirms(false)}
        />
      )}
    </Panel>
  )
}

function PemFiles({
  pem,
  onChange,
}: {
  readonly pem: readonly Pem[]
  readonly onChange: (pem: readonly Pem[]) => void
}) {
  const read = async (chosen: readonly File[]): Promise<void> => {
    const read = await Promise.all(
      chosen.map(async (file) => ({ name: file.name, text: await file.text() })),
    )
    const names = new Set(read.map(({ name }) => name))
    onChange([...pem.filter(({ name }) => !names.has(name)), ...read])
  }
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        Certificates and key
      </Text>
      <Text size="sm" c="dimmed">
        The PEM files that the file names in tls. The gateway encrypts the key, and never shows it
        again.
      </Text>
      <Group>
        <FileButton multiple accept=".pem,.crt,.cer,.key" onChange={(chosen) => void read(chosen)}>
          {(props) => (
            <Button {...props} variant="default">
              Choose PEM files
            </Button>
          )}
        </FileButton>
        <Text size="sm">
          {pem.length === 0 ? 'None chosen.' : pem.map(({ name }) => name).join(', ')}
        </Text>
        {pem.length > 0 && (
          <Button variant="subtle" onClick={() => onChange([])}>
            Remove them
          </Button>
        )}
      </Group>
    </Stack>
  )
}

const AFTER: Column<Judged['changes'][number]>[] = [
  {
    key: 'what',
    title: 'Setting',
    cell: ({ what }) => what.charAt(0).toUpperCase() + what.slice(1),
  },
  { key: 'after', title: 'From now on', fills: true, cell: ({ after }) => <Value text={after} /> },
]
const BEFORE: Column<Judged['changes'][number]>[] = [
  ...AFTER.slice(0, 1),
  { key: 'before', title: 'Now', cell: ({ before }) => <Value text={before ?? ''} /> },
  ...AFTER.slice(1),
]

/** Fingerprints have no blank at which a line could end. */
function Value({ text }: { readonly text: string }) {
  return (
    <Text span inherit style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Text>
  )
}

function Changes({ link }: { readonly link: Judged }) {
  const { accounts, changes, isNew, name, warnings } = link
  return (
    <Stack gap="sm">
      <Text size="sm">
        {isNew ? `The link ${name} is new.` : `The file changes the link ${name}.`}
        {accounts.length > 0 && ` Accounts that use it: ${accounts.join(', ')}.`}
      </Text>
      {warnings.map((warning) => (
        <Alert key={warning} color="yellow">
          {warning}
        </Alert>
      ))}
      <DataTable
        label={`Changes of ${name}`}
        columns={isNew ? AFTER : BEFORE}
        rows={changes}
        keyOf={({ what }) => what}
        empty={<Text size="sm">Nothing differs, except perhaps the key.</Text>}
      />
    </Stack>
  )
}

function SetLink({
  link: { accounts, isNew, name, needsSecond },
  files,
  onDone,
  onClose,
}: {
  readonly link: Judged
  readonly files: { readonly file: string; readonly pem: readonly Pem[] }
  readonly onDone: () => void
  readonly onClose: () => void
}) {
  const [reason, setReason] = useState('')
  const save = async (): Promise<void> => {
    const { done } = await call(consoleLinks.put, { body: { ...files, reason: reason.trim() } })
    showDone(done ? `The link ${name} was ${isNew ? 'created' : 'changed'}.` : REQUESTED)
    await everythingChanged()
    onDone()
  }
  return (
    <Confirm
      opened
      title={`${isNew ? 'Create' : 'Change'} the link ${name}`}
      action={needsSecond ? 'Request' : isNew ? 'Create link' : 'Change link'}
      onConfirm={save}
      onClose={onClose}
    >
      <Text size="sm">
        {accounts.length === 0
          ? 'Gateways connect it once an account uses it.'
          : 'Gateways sign on again within seconds, and the old connection continues until then.'}
      </Text>
      {needsSecond && (
        <>
          <Text size="sm" fw={500}>
            Payments of live accounts go there. {REQUESTED}
          </Text>
          <ReasonField reason={reason} onChange={setReason} />
        </>
      )}
    </Confirm>
  )
}
