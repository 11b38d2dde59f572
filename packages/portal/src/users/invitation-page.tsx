import {
  Alert,
  Anchor,
  Button,
  Center,
  Loader,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { Invitation } from '@tollgate/portal-contract/answers/portal-users'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { When } from '../parts/when.tsx'
import { faultOf, FormFault, PASSWORD_RULES } from '../session/change-password.tsx'
import { call } from '../shell/api.ts'
import { PLACE } from '../shell/place.ts'

/** The page of an invitation or reset link; the token of the link stays behind the #. */
export function InvitationPage() {
  useDocumentTitle('Invitation · Tollgate')
  const [token] = useState(() => window.location.hash.slice(1))
  const found = useQuery({
    queryKey: ['invitation'],
    queryFn: () => call(routes.session.lookAtInvitation, { body: { token } }),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  })
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={420}>
        {found.data !== undefined ? (
          <Take token={token} invitation={found.data} />
        ) : found.error !== null ? (
          <Stack>
            <Title order={1} size="h3">
              This link is not valid
            </Title>
            <Alert color="red" role="alert">
              {found.error.message}
            </Alert>
            <Anchor href={`${PLACE.root}/`}>Go to sign-in</Anchor>
          </Stack>
        ) : (
          <Loader aria-label="Loading" />
        )}
      </Paper>
    </Center>
  )
}

function Take({ token, invitation }: { readonly token: string; readonly invitation: Invitation }) {
  const { kind, email, merchant, expiresAt } = invitation
  const [name, setName] = useState(invitation.name)
  const [newPassword, setNewPassword] = useState('')
  const take = useMutation({
    mutationFn: () => call(routes.session.takeInvitation, { body: { token, name, newPassword } }),
    // A page of its own, so that nothing of the link is left in this one.
    onSuccess: () => window.location.replace(`${PLACE.root}/`),
  })
  return (
    <Stack
      component="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!take.isPending) take.mutate()
      }}
    >
      <div>
        <Title order={1} size="h3">
          {kind === 'reset' ? 'Set a new password' : `Welcome to ${merchant}`}
        </Title>
        <Text c="dimmed" size="sm">
          {kind === 'reset' ? `For ${email} at ${merchant}.` : `You will sign in as ${email}.`} This
          link works once, until <When at={expiresAt} />.
        </Text>
      </div>
      <FormFault error={take.error} fields={['name', 'newPassword']} />
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <TextInput
        label="Your name"
        autoComplete="name"
        required
        maxLength={100}
        value={name}
        error={faultOf(take.error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        description={PASSWORD_RULES}
        autoComplete="new-password"
        required
        autoFocus
        minLength={12}
        value={newPassword}
        error={faultOf(take.error, 'newPassword')}
        onChange={(event) => setNewPassword(event.currentTarget.value)}
      />
      <Button type="submit" loading={take.isPending}>
        {kind === 'reset' ? 'Set password and continue' : 'Set password and continue'}
      </Button>
    </Stack>
  )
}
