import { Select, Text, TextInput } from '@mantine/core'
import type { OperatorSummary } from '@tollgate/portal-contract/answers/console'
import {
  CONSOLE_ROLES,
  isConsoleRole,
  type ConsoleRole,
} from '@tollgate/portal-contract/console-rights'
import { consoleOperators } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import type { ShownLink } from '../users/link-shown.tsx'
import { REQUESTED } from './disable-dialog.tsx'

/** The change that is asked for, and of whom. */
export interface Changing {
  readonly what: 'role' | 'active' | 'reset'
  readonly operator: OperatorSummary
}

interface DialogProps {
  readonly onClose: () => void
  readonly onLink: (shown: ShownLink) => void
}

/** Asks for name and address of a new operator. */
export function InviteOperator({
  opened,
  onClose,
  onLink,
}: DialogProps & { readonly opened: boolean }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const invite = async (): Promise<void> => {
    const { link } = await call(consoleOperators.invite, { body: { email, name } })
    onLink({ link, name })
    setEmail('')
    setName('')
    await everythingChanged()
  }
  return (
    <Confirm
      opened={opened}
      title="Invite an operator"
      action="Create link"
      disabled={email === '' || name === ''}
      onConfirm={invite}
      onClose={onClose}
    >
      <Text size="sm">A new operator is a viewer. Request another role after that.</Text>
      <TextInput
        label="Name"
        required
        data-autofocus
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="E-mail"
        required
        inputMode="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </Confirm>
  )
}

/** Asks before an operator is changed. */
export function ChangeOperator({ what, operator, onClose, onLink }: Changing & DialogProps) {
  const { id, name, state } = operator
  const [role, setRole] = useState<ConsoleRole>(operator.role)
  const enables = state === 'disabled' || state === 'idle'
  const run = async (): Promise<void> => {
    const path = { id }
    if (what === 'reset') {
      const { done, link } = await call(consoleOperators.reset, { path })
      if (link !== null) onLink({ link, name })
      if (!done) showDone(REQUESTED)
    } else if (what === 'role') {
      const { done } = await call(consoleOperators.setRole, { path, body: { role } })
      showDone(done ? `${name} has another role.` : REQUESTED)
    } else {
      await call(consoleOperators.setActive, { path, body: { active: enables } })
      showDone(`${name} is ${enables ? 'enabled' : 'disabled'}.`)
    }
    await everythingChanged()
  }
  const title = titleOf(what, name, enables)
  return (
    <Confirm
      opened
      title={title}
      action={what === 'active' ? title : 'Request'}
      dangerous={what !== 'role' && !enables}
      disabled={what === 'role' && role === operator.role}
      onConfirm={run}
      onClose={onClose}
    >
      {what === 'role' && (
        <Select
          label="Role"
          allowDeselect={false}
          data={Object.entries(CONSOLE_ROLES).map(([value, each]) => ({
            value,
            label: each.title,
          }))}
          value={role}
          onChange={(value) => value !== null && isConsoleRole(value) && setRole(value)}
        />
      )}
      <Text size="sm">{effectOf(what, enables)}</Text>
    </Confirm>
  )
}

function titleOf(what: Changing['what'], name: string, enables: boolean): string {
  if (what === 'role') return `Role of ${name}`
  return what === 'reset' ? `Reset ${name}` : `${enables ? 'Enable' : 'Disable'} ${name}`
}

function effectOf(what: Changing['what'], enables: boolean): string {
  if (what === 'role') return REQUESTED
  if (what === 'reset') {
    return `Password and second factor are removed. ${REQUESTED} That operator gets the link.`
  }
  return enables
    ? 'The operator can sign in again.'
    : 'The operator is signed out at once, and cannot sign in.'
}
