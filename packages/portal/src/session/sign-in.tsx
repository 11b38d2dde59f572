import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { SessionView } from '@tollgate/gateway/portal-api'
import { useState } from 'react'
import { api, sendToken } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'

/** In the place of every page for whoever is not signed in; the address stays. */
export function SignIn() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => api.post<SessionView>('/session', { email, password }),
    onSuccess: (session) => {
      sendToken(session.csrfToken)
      queryClient.setQueryData(['session'], session)
    },
  })
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={400} component="form" onSubmit={(event) => {
        event.preventDefault()
        signIn.mutate()
      }}>
        <Stack>
          <div>
            <Title order={1} size="h3">Sign in</Title>
            <Text c="dimmed" size="sm">Tollgate portal</Text>
          </div>
          {signIn.error !== null && <Alert color="red" role="alert">{signIn.error.message}</Alert>}
          <TextInput label="E-mail" type="email" autoComplete="username" required autoFocus value={email} onChange={(event) => setEmail(event.currentTarget.value)} />
          <PasswordInput label="Password" autoComplete="current-password" required value={password} onChange={(event) => setPassword(event.currentTarget.value)} />
          <Button type="submit" loading={signIn.isPending}>Sign in</Button>
        </Stack>
      </Paper>
    </Center>
  )
}
