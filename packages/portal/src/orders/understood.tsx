import { Button, Group, Text } from '@mantine/core'
import type { ListAnswer } from '@tollgate/portal-contract/answers/orders'
import { describeReading, insistOn, SEARCH_KINDS } from '@tollgate/portal-contract/search-words'

interface UnderstoodProps {
  readonly readings: ListAnswer['readings']
  /** Narrows the search down to one meaning. */
  readonly onChoose: (text: string) => void
}

const FOUND: Readonly<Record<string | number, string>> = {
  many: 'more than 1,000 orders',
  walked: 'shown in the list',
  unasked: 'search',
}

/** The meanings of the search box's text, and the number of orders for each. */
export function Understood({ readings, onChoose }: UnderstoodProps) {
  if (readings.length === 0) return null
  const met = readings.filter(({ found }) => found !== 0)
  const missed = readings
    .filter(({ found }) => found === 0)
    .map(({ reading }) => SEARCH_KINDS[reading.kind])
  return (
    <Group gap={6} role="status" aria-label="Search interpretation">
      {met.length > 0 && (
        <Text size="sm" c="dimmed">
          Matched:
        </Text>
      )}
      {met.map(({ reading, found }) => (
        <Button
          key={reading.kind}
          size="compact-xs"
          variant="default"
          disabled={readings.length === 1}
          onClick={() => onChoose(insistOn(reading))}
        >
          {describeReading(reading)}:{' '}
          {FOUND[found] ?? `${found} ${found === 1 ? 'order' : 'orders'}`}
        </Button>
      ))}
      {missed.length > 0 && (
        <Text size="sm" c="dimmed">
          {met.length === 0 ? 'No match:' : 'No match:'} {missed.join(', ')}
        </Text>
      )}
    </Group>
  )
}
