import { Badge, Text } from '@mantine/core'
import { countOf } from './count-text.ts'

/** Days left at which a deadline is urgent, and at which it comes near. */
const URGENT = 3
const NEAR = 7

interface DeadlineProps {
  /** ISO 8601 date. */
  readonly day: string
  /** Below zero where it passed. */
  readonly daysLeft: number
}

/** A day until which something is to be done. Its colour says how urgent it is, and so do words. */
export function Deadline({ day, daysLeft }: DeadlineProps) {
  const color = daysLeft <= URGENT ? 'red' : daysLeft <= NEAR ? 'orange' : 'gray'
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {day}{' '}
      <Badge miw="max-content" color={color} variant={daysLeft < 0 ? 'filled' : 'light'}>
        {leftText(daysLeft)}
      </Badge>
    </Text>
  )
}

function leftText(daysLeft: number): string {
  if (daysLeft < 0) return `${countOf(-daysLeft, 'day')} late`
  if (daysLeft === 0) return 'today'
  return `${countOf(daysLeft, 'day')} left`
}
