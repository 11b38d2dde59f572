import { TextInput } from '@mantine/core'
import { consoleMerchants } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'

/** The thing that an operator renames. */
export interface Renamed {
  readonly what: 'merchant' | 'site' | 'account'
  readonly id: string
  readonly name: string
}

const ROUTES = {
  merchant: consoleMerchants.rename,
  site: consoleMerchants.renameSite,
  account: consoleMerchants.renameAccount,
}

const EFFECTS: Readonly<Record<Renamed['what'], string>> = {
  merchant: 'Portal users and operators see it.',
  site: 'Portal users see it, and customers in e-mails.',
  account: 'The name of the bank: answers to programs have it as PROC_NAME.',
}

/** Asks for the new name of a merchant, a site or an account. */
export function RenameDialog({
  renamed: { what, id, name },
  onClose,
}: {
  readonly renamed: Renamed
  readonly onClose: () => void
}) {
  const [typed, setTyped] = useState(name)
  const wanted = typed.trim()
  const rename = async (): Promise<void> => {
    await call(ROUTES[what], { path: { id }, body: { name: wanted } })
    showDone(`The ${what} has the name ${wanted}.`)
    await everythingChanged()
  }
  return (
    <Confirm
      opened
      title={`Rename ${what} ${id}`}
      action="Rename"
      disabled={wanted === '' || wanted === name}
      onConfirm={rename}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description={EFFECTS[what]}
        required
        maxLength={what === 'account' ? 60 : 100}
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </Confirm>
  )
}
