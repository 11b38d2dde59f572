import { Button, Group, Text } from '@mantine/core'
import type { ListAnswer } from '@tollgate/portal-contract/answers/orders'
import { describeReading, insistOn, SEARCH_KINDS } from '@tollgate/portal-contract/search-readings'
import { readSearch } from '@tollgate/portal-contract/search-words'

interface UnderstoodProps {
  /** The search; undefined without one. */
  readonly text: string | undefined
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
export function Understood({ text, readings, onChoose }: UnderstoodProps) {
  if (text === undefined || readings.length === 0) return null
  const isSentence = isOfSeveralTerms(text)
  // Of several words only those meanings are shown that find something.
  const met = readings.filter(({ found }) => found !== 0 && !(isSentence && found === 'unasked'))
  const missed = readings
    .filter(({ found }) => found === 0)
    .map(({ reading }) => (isSentence ? describeReading(reading) : SEARCH_KINDS[reading.kind]))
  return (
    <Group gap={6} role="status" aria-label="Search interpretation">
      {met.length > 0 && (
        <Text size="sm" c="dimmed">
          Matched:
        </Text>
      )}
      {met.map(({ reading, found }) => (
        <Button
          key={`${reading.kind} ${reading.value}`}
          size="compact-xs"
          variant="default"
          disabled={isSentence || readings.length === 1}
          onClick={() => onChoose(insistOn(reading))}
        >
          {describeReading(reading)}:{' '}
          {FOUND[found] ?? `${found} ${found === 1 ? 'order' : 'orders'}`}
        </Button>
      ))}
      {missed.length > 0 && (!isSentence || met.length === 0) && (
        <Text size="sm" c="dimmed">
          No match: {missed.join(', ')}
        </Text>
      )}
    </Group>
  )
}

/** Whether a search is made of several terms, or of a term and days. */
function isOfSeveralTerms(text: string): boolean {
  // Which day it is matters for nothing here.
  const search = readSearch(text, '2026-01-01')
  return search.kind === 'search' && search.terms.length + (search.days === null ? 0 : 1) > 1
}
