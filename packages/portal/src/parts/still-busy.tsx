import { Group, Loader, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { countOf } from './count-text.ts'

/** A shorter wait needs no word. */
const SHOWN_AFTER_S = 2

interface StillBusyProps {
  /** The work, as a sentence: `Testing the rules on the payments of the last 7 days.` */
  readonly text: string
}

/** Shows that a long answer is under way, and for how long. Mounted while it is waited for. */
export function StillBusy({ text }: StillBusyProps) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <Group gap="xs" role="status" mih={22}>
      {seconds >= SHOWN_AFTER_S && (
        <>
          <Loader size="xs" aria-hidden />
          <Text size="sm">
            {text}{' '}
            <Text span inherit c="dimmed" aria-hidden>
              {countOf(seconds, 'second')} so far.
            </Text>
          </Text>
        </>
      )}
    </Group>
  )
}
