import { Button, Group, Text } from '@mantine/core'
import * as routes from '@tollgate/portal-contract/routes'
import { useEffect, useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { call, hasActed } from '../shell/api.ts'
import { PLACE } from '../shell/place.ts'
import { queryClient } from '../shell/query-client.ts'
import { isSignedOut } from './session.ts'

interface Left {
  /** Seconds until the session ends when nothing is done, and in any case. */
  readonly idle: number
  readonly whole: number
}

const WARN_S = 60
const LOOK_EVERY_S = 60

/**
 * Warns a minute before a session ends. The gateway returns the time left, so that work in another
 * window counts. Activity on this page without a request, such as typing, is reported.
 */
export function IdleWatch() {
  const [left, setLeft] = useState<Left | null>(null)
  const warns = left !== null && Math.min(left.idle, left.whole) <= WARN_S

  useEffect(() => {
    let timer = 0
    let ended = false
    const look = async (): Promise<void> => {
      try {
        // While the warning is shown only its button counts.
        const found = await (hasActed() && !warns
          ? call(routes.session.left)
          : call(routes.session.left, { background: true }))
        if (ended) return
        setLeft(found)
        const seconds = Math.min(found.idle, found.whole)
        const next = seconds <= WARN_S ? 1 : Math.min(LOOK_EVERY_S, seconds - WARN_S)
        timer = window.setTimeout(() => void look(), next * 1_000 + 200)
      } catch (error) {
        if (ended) return
        if (isSignedOut(error)) void queryClient.invalidateQueries({ queryKey: ['session'] })
        else timer = window.setTimeout(() => void look(), 10_000)
      }
    }
    timer = window.setTimeout(() => void look(), warns ? 1_000 : LOOK_EVERY_S * 1_000)
    return () => {
      ended = true
      window.clearTimeout(timer)
    }
  }, [warns])

  const stay = async (): Promise<void> => setLeft(await call(routes.session.left))
  const leave = async (): Promise<void> => {
    await call(routes.session.signOut).catch(() => undefined)
    window.location.assign(`${PLACE.root}/`)
  }
  const isWhole = left !== null && left.whole <= left.idle
  return (
    <Dialog
      opened={warns}
      onClose={() => void stay()}
      title="Are you still there?"
      zIndex={300}
      closeOnClickOutside={false}
    >
      <Text size="sm">
        {isWhole
          ? 'Your session is 12 hours old and ends in'
          : 'You have been inactive. For security, you are signed out in'}{' '}
        <strong>{left === null ? '' : Math.max(0, Math.min(left.idle, left.whole))} seconds</strong>
        {isWhole ? '. Sign in again then to continue. Your input on this page is kept.' : '.'}
      </Text>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={() => void leave()}>
          Sign out
        </Button>
        {!isWhole && (
          <Button onClick={() => void stay()} data-autofocus>
            Stay signed in
          </Button>
        )}
      </Group>
    </Dialog>
  )
}
