import { Text, Tooltip } from '@mantine/core'
import { dayIn, timeWithZone } from '@tollgate/kernel/time-zone'
import { shownZone } from './shown-zone.ts'
import styles from './when.module.css'

/** `2026-11-21 16:03:12 +01:00` in the merchant's time zone; a time in UTC names it. */
export function timeText(at: string): string {
  return timeWithZone(shownZone(), new Date(at))
}

/** `2026-11-21` in the merchant's time zone. */
export function dayText(at: string): string {
  return dayIn(shownZone(), new Date(at))
}

interface WhenProps {
  readonly at: string
  readonly dayOnly?: boolean
}

/** A time in the merchant's zone, with its offset; the exact one in UTC when pointed at. */
export function When({ at, dayOnly = false }: WhenProps) {
  const [, clock, offset] = timeText(at).split(' ')
  return (
    <Tooltip label={`${at.replace('T', ' ').replace('Z', '')} UTC`}>
      <Text span inherit component="time" dateTime={at} className={styles.when}>
        <span className={styles.part}>{dayText(at)}</span>
        {!dayOnly && (
          <>
            {' '}
            <span className={styles.part}>
              {clock}{' '}
              <Text span inherit c="dimmed">
                {offset}
              </Text>
            </span>
          </>
        )}
      </Text>
    </Tooltip>
  )
}
