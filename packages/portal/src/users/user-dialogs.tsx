import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { PortalUserSummary } from '@tollgate/portal-contract/answers/portal-users'
import type { Role } from '@tollgate/portal-contract/rights'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { showDone } from '../parts/done.ts'
import { faultOf, FormFault } from '../session/change-password.tsx'
import { useSite } from '../session/site.ts'
import { call } from '../shell/api.ts'
import type { ShownLink } from './link-shown.tsx'
import { readLimit, RefundLimit, typedLimit } from './refund-limit.tsx'
import { RoleChoice } from './role-choice.tsx'
import { readUsersAgain, REQUESTED } from './user-approvals.tsx'

/** Invites a user, whose link the caller shows. */
export function Invite({
  onClose,
  onInvited,
}: {
  readonly onClose: () => void
  readonly onInvited: (shown: ShownLink) => void
}) {
  const currency = useSite()?.defaultCurrency ?? 'USD'
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('support')
  const [limit, setLimit] = useState(typedLimit(null, currency))
  const invite = useMutation({
    mutationFn: () => {
      const refundLimit = readLimit(limit)
      if (refundLimit === undefined) throw new Error('Enter the limit as an amount.')
      return call(routes.portalUsers.invite, { body: { email, name, role, refundLimit } })
    },
    onSuccess: ({ link }) => {
      onClose()
      onInvited({ link, name })
      void readUsersAgain()
    },
  })
  return (
    <Dialog opened onClose={onClose} title="Invite user">
      <Stack
        component="form"
        gap="sm"
        onSubmit={(event) => {
          event.preventDefault()
          if (!invite.isPending && readLimit(limit) !== undefined) invite.mutate()
        }}
      >
        <FormFault error={invite.error} fields={['email', 'name']} />
        <TextInput
          label="E-mail"
          description="The user signs in with it, # and your merchant number."
          type="email"
          required
          data-autofocus
          autoComplete="off"
          value={email}
          error={faultOf(invite.error, 'email')}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <TextInput
          label="Name"
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          error={faultOf(invite.error, 'name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <RoleChoice value={role} onChange={setRole} />
        <RefundLimit value={limit} onChange={setLimit} />
        <LinkNote />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={invite.isPending}>
            Create invitation
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function LinkNote() {
  return (
    <Alert color="gray" role="note">
      You get a link to send to the user. It works once, within 24 hours.
    </Alert>
  )
}

/** Changes role and limit of a user. */
export function Change({
  portalUser,
  onClose,
}: {
  readonly portalUser: PortalUserSummary
  readonly onClose: () => void
}) {
  const currency = useSite()?.defaultCurrency ?? 'USD'
  const [role, setRole] = useState<Role>(portalUser.role)
  const [limit, setLimit] = useState(typedLimit(portalUser.refundLimit, currency))
  const change = useMutation({
    mutationFn: () =>
      call(routes.portalUsers.change, {
        path: { id: portalUser.id },
        body: { role, refundLimit: readLimit(limit) },
      }),
    onSuccess: async ({ done }) => {
      await readUsersAgain()
      onClose()
      showDone(
        done
          ? `${portalUser.name} was changed. The change takes effect with their next click.`
          : REQUESTED,
      )
    },
  })
  return (
    <Dialog opened onClose={onClose} title={`Role and limit of ${portalUser.name}`}>
      <Stack
        component="form"
        gap="sm"
        onSubmit={(event) => {
          event.preventDefault()
          if (!change.isPending && readLimit(limit) !== undefined) change.mutate()
        }}
      >
        <FormFault error={change.error} fields={[]} />
        <RoleChoice value={role} onChange={setRole} />
        <RefundLimit value={limit} onChange={setLimit} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
