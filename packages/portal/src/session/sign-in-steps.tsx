import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { UnfinishedView } from '@tollgate/portal-contract/answers/shell'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { call } from '../shell/api.ts'
import { PLACE } from '../shell/place.ts'
import { queryClient } from '../shell/query-client.ts'
import { ChangePassword } from './change-password.tsx'
import { SecondFactorSetup } from './second-factor-setup.tsx'
import type { SessionAnswer } from './session.ts'

interface StepsProps {
  /** The rest of a started sign-in; null without one. */
  readonly unfinished: UnfinishedView | null
  /** Filled in beforehand. */
  readonly email?: string
  readonly onStep: (session: SessionAnswer) => void
}

/** The password, and what comes after it: a code, setting up a second factor, a new password. */
export function SignInSteps({ unfinished, email, onStep }: StepsProps) {
  const readOn = async (): Promise<void> => onStep(await call(routes.session.read))
  if (unfinished === null) return <PasswordStep email={email ?? ''} onStep={onStep} />
  return (
    <Stack gap="sm">
      {unfinished.next === 'code' && <CodeStep onStep={onStep} />}
      {unfinished.next === 'second_factor' && (
        <>
          <Text size="sm">A second factor is required. Set yours up to continue.</Text>
          <SecondFactorSetup requiresPassword={false} onDone={readOn} />
        </>
      )}
      {unfinished.next === 'password' && (
        <>
          <Text size="sm">
            Your password has expired. Choose a new one. With a second factor, passwords do not
            expire.
          </Text>
          <ChangePassword email={unfinished.user.email} onDone={readOn} />
        </>
      )}
      <StartOver email={unfinished.user.email} />
    </Stack>
  )
}

function PasswordStep({
  email: known,
  onStep,
}: {
  readonly email: string
  readonly onStep: StepsProps['onStep']
}) {
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const signIn = useMutation({
    mutationFn: () => call(routes.session.signIn, { body: { email, password } }),
    onSuccess: onStep,
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!signIn.isPending) signIn.mutate()
      }}
    >
      <Stack>
        {signIn.error !== null && (
          <Alert color="red" role="alert">
            {signIn.error.message}
          </Alert>
        )}
        <TextInput
          label="E-mail"
          description={PLACE.emailHint}
          inputMode="email"
          autoComplete="username"
          required
          autoFocus={known === ''}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          autoFocus={known !== ''}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
        <Text size="xs" c="dimmed">
          Forgot your password or lost your device? Ask an owner or admin for a reset link.
        </Text>
      </Stack>
    </form>
  )
}

function CodeStep({ onStep }: { readonly onStep: StepsProps['onStep'] }) {
  const [code, setCode] = useState('')
  const [recovers, setRecovers] = useState(false)
  const give = useMutation({
    mutationFn: () => call(routes.session.giveCode, { body: { code } }),
    onSuccess: onStep,
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!give.isPending) give.mutate()
      }}
    >
      <Stack>
        {give.error !== null && (
          <Alert color="red" role="alert">
            {give.error.message}
          </Alert>
        )}
        <TextInput
          key={recovers ? 'recovery' : 'code'}
          label={recovers ? 'Recovery code' : 'Code'}
          description={
            recovers
              ? 'One of the codes shown when you set up your second factor.'
              : 'The six digits that your authenticator app shows.'
          }
          autoComplete="one-time-code"
          inputMode={recovers ? 'text' : 'numeric'}
          required
          autoFocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" loading={give.isPending}>
          Continue
        </Button>
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => {
            setRecovers(!recovers)
            setCode('')
            give.reset()
          }}
        >
          {recovers ? 'Use the app instead' : 'Use a recovery code instead'}
        </Anchor>
      </Stack>
    </form>
  )
}

function StartOver({ email }: { readonly email: string }) {
  const leave = useMutation({
    mutationFn: () => call(routes.session.signOut),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['session'] }),
  })
  return (
    <Text size="xs" c="dimmed">
      Signing in as {email}.{' '}
      <Anchor component="button" type="button" size="xs" onClick={() => leave.mutate()}>
        Use another account
      </Anchor>
    </Text>
  )
}
