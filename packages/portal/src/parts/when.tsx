import { Text, Tooltip } from '@mantine/core'

const FULL = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' })
const DAY = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' })

/** `2026-11-21 16:03:12` in the browser's time zone. */
export function timeText(at: string): string {
  return FULL.format(new Date(at))
}

export function dayText(at: string): string {
  return DAY.format(new Date(at))
}

/** A time, in the browser's zone; the exact one in UTC when pointed at. */
export function When({ at, dayOnly = false }: { readonly at: string; readonly dayOnly?: boolean }) {
  return (
    <Tooltip label={`${at.replace('T', ' ').replace('Z', '')} UTC`}>
      <Text span inherit component="time" dateTime={at} style={{ whiteSpace: 'nowrap' }}>
        {dayOnly ? dayText(at) : timeText(at)}
      </Text>
    </Tooltip>
  )
}
