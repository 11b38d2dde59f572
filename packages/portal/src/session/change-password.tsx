import { Alert, Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { call, ApiFault } from '../shell/api.ts'

/** The rules for a password, as shown below the field. */
export const PASSWORD_RULES =
  'At least 12 characters, with a letter and a digit. Common words, names, years and rows such as 1234 do not count. It must not contain your e-mail address or repeat your last five passwords.'

/** The gateway's message about one field of a form. */
export function faultOf(error: Error | null, field: string): string | null {
  return error instanceof ApiFault && error.field === field ? error.message : null
}

/** The rest of what is wrong, for the head of the form. */
export function FormFault({
  error,
  fields,
}: {
  readonly error: Error | null
  readonly fields: readonly string[]
}) {
  if (error === null || fields.some((field) => faultOf(error, field) !== null)) return null
  return (
    <Alert color="red" role="alert">
      {error.message}
    </Alert>
  )
}

interface ChangePasswordProps {
  /** For password managers, so that they know whose it is. */
  readonly email: string
  readonly onDone: () => unknown
}

/** The present password, and a new one. */
export function ChangePassword({ email, onDone }: ChangePasswordProps) {
  const [password, setPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const change = useMutation({
    mutationFn: () => call(routes.account.changePassword, { body: { password, newPassword } }),
    onSuccess: onDone,
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!change.isPending) change.mutate()
      }}
    >
      <Stack gap="sm">
        <FormFault error={change.error} fields={['password', 'newPassword']} />
        <input type="hidden" autoComplete="username" value={email} readOnly />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          data-autofocus
          value={password}
          error={faultOf(change.error, 'password')}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <PasswordInput
          label="New password"
          description={PASSWORD_RULES}
          autoComplete="new-password"
          required
          minLength={12}
          value={newPassword}
          error={faultOf(change.error, 'newPassword')}
          onChange={(event) => setNewPassword(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
