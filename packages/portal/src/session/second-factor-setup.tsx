import {
  Alert,
  Button,
  Code,
  Group,
  Loader,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import * as routes from '@tollgate/portal-contract/routes'
import { useId, useState } from 'react'
import { encode } from 'uqr'
import { Copyable } from '../parts/copyable.tsx'
import { Fault } from '../parts/fault.tsx'
import { call } from '../shell/api.ts'
import { FormFault, faultOf } from './change-password.tsx'
import classes from './second-factor-setup.module.css'

interface SetupProps {
  /** Not on the way in, where it was just given. */
  readonly requiresPassword: boolean
  readonly onDone: () => unknown
}

/** A picture to scan, a first code to prove it, and the recovery codes to keep. */
export function SecondFactorSetup({ requiresPassword, onDone }: SetupProps) {
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  // One secret for as long as this is open, however often the page refreshes.
  const id = useId()
  const factor = useQuery({
    queryKey: ['new second factor', id],
    queryFn: () => call(routes.account.beginSecondFactor),
    staleTime: Infinity,
    gcTime: 0,
  })
  const set = useMutation({
    mutationFn: (sealed: string) =>
      call(routes.account.setSecondFactor, {
        body: { sealed, code, password: requiresPassword ? password : null },
      }),
  })
  if (set.data !== undefined)
    return <RecoveryCodes codes={set.data.recoveryCodes} onDone={onDone} />
  if (factor.error !== null)
    return <Fault error={factor.error} onRetry={() => void factor.refetch()} />
  if (factor.data === undefined) return <Loader aria-label="Loading" />
  const { uri, secret, sealed } = factor.data
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!set.isPending) set.mutate(sealed)
      }}
    >
      <Stack gap="sm">
        <FormFault error={set.error} fields={['code', 'password']} />
        <Text size="sm">
          Scan this QR code with an authenticator app, then enter the six-digit code that the app
          shows.
        </Text>
        <QrCode text={uri} />
        <Text size="xs" c="dimmed">
          Or enter this key in the app:{' '}
          <Copyable text={secret} label={secret.replace(/(.{4})(?=.)/g, '$1 ')} />
        </Text>
        <TextInput
          label="Code"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          data-autofocus
          value={code}
          error={faultOf(set.error, 'code')}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        {requiresPassword && (
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            required
            value={password}
            error={faultOf(set.error, 'password')}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={set.isPending}>
            Turn on
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Shown this once; the gateway keeps only what they are found by. */
export function RecoveryCodes({
  codes,
  onDone,
}: {
  readonly codes: readonly string[]
  readonly onDone: () => unknown
}) {
  return (
    <Stack gap="sm">
      <Alert color="yellow" role="status">
        Store these recovery codes where you can find them without your phone. Each one replaces a
        code once. They are shown only now.
      </Alert>
      <Code block aria-label="Recovery codes" className={classes.codes}>
        {codes.join('\n')}
      </Code>
      <Group justify="space-between">
        <Copyable text={codes.join('\n')} label="all ten" />
        <Button onClick={() => void onDone()} data-autofocus>
          I have saved them
        </Button>
      </Group>
    </Stack>
  )
}

/** Always dark on light, as scanners want it. */
function QrCode({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { border: 2 })
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      className={classes.picture}
      role="img"
      aria-label="QR code for the authenticator app"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
