import { Button, Select, Text, TextInput } from '@mantine/core'
import { consoleKeys } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { useConsoleSession } from './console-session.ts'
import { REQUESTED } from './disable-dialog.tsx'

type Wanted = 'destroy' | 'replace' | 'export'

const OPERATIONS: readonly { readonly value: Wanted; readonly label: string }[] = [
  { value: 'destroy', label: 'Destroy a data key' },
  { value: 'replace', label: 'Replace the key-encrypting key' },
  { value: 'export', label: 'Export all saved cards' },
]

/** Requests what `tollgate keys` and `vault export` do only once a second operator approved it. */
export function KeyRequest() {
  const { rights } = useConsoleSession()
  const [opened, setOpened] = useState(false)
  const [wanted, setWanted] = useState<Wanted>('destroy')
  const [typed, setTyped] = useState({ key: '', unreadable: '0', to: '', file: '', reason: '' })
  if (!rights.includes('keys.change')) return null
  const { key, unreadable, to, file, reason } = typed
  const isWhole = {
    replace: to.trim() !== '',
    destroy: /^\d{1,9}$/.test(key) && /^\d{1,9}$/.test(unreadable),
    export: /^[a-p]{16}$/.test(file.trim()),
  }[wanted]
  const request = async (): Promise<void> => {
    if (wanted === 'replace') await call(consoleKeys.replace, { body: { to, reason } })
    else if (wanted === 'export') {
      await call(consoleKeys.export, { body: { key: file, reason } })
    } else {
      const body = { key: Number(key), unreadable: Number(unreadable), reason }
      await call(consoleKeys.destroy, { body })
    }
    showDone(REQUESTED)
    await everythingChanged()
  }
  const field = (name: keyof typeof typed, label: string, description: string) => (
    <TextInput
      label={label}
      description={description}
      required
      value={typed[name]}
      onChange={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
    />
  )
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Request a key operation
      </Button>
      <Confirm
        opened={opened}
        title="Request a key operation"
        action="Request"
        disabled={!isWhole || reason.trim().length < 3}
        onConfirm={request}
        onClose={() => setOpened(false)}
      >
        <Text size="sm">
          {REQUESTED} After that, the command does it once, within the same 24 hours.
        </Text>
        <Select
          label="Operation"
          data={[...OPERATIONS]}
          value={wanted}
          allowDeselect={false}
          onChange={(value) =>
            setWanted(OPERATIONS.find((one) => one.value === value)?.value ?? 'destroy')
          }
        />
        {wanted === 'replace' &&
          field('to', 'Id of the new key', 'As the refused command names it.')}
        {wanted === 'export' &&
          field('file', 'Key of the file', 'The 16 letters that the refused command names.')}
        {wanted === 'destroy' &&
          field('key', 'Data key', 'The number of a retired key in "tollgate keys list".')}
        {wanted === 'destroy' &&
          field('unreadable', 'Unreadable cards', 'Cards that are lost with the key.')}
        {field('reason', 'Reason', '3 to 200 characters. The audit log and the list show it.')}
      </Confirm>
    </>
  )
}
