import { Kbd, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { dayIn } from '@tollgate/kernel/time-zone'
import type { DayRange } from '@tollgate/portal-contract/search-days'
import { describeReading } from '@tollgate/portal-contract/search-readings'
import {
  CARD_NUMBER_REFUSED,
  isRefusedSearch,
  readSearch,
} from '@tollgate/portal-contract/search-words'
import { useEffect, useRef, useState } from 'react'
import { shownZone } from '../parts/shown-zone.ts'

interface SearchBoxProps {
  /** The last search. */
  readonly value: string
  readonly onSearch: (text: string) => void
  /** Whether the page itself was opened with a card number in its address. */
  readonly refused?: boolean
  /** In the head of every page: without a word below it. */
  readonly compact?: boolean
}

/**
 * Takes anything that a portal user has in hand. A full card number is refused here, before
 * anything is sent or becomes part of an address. `/` and Ctrl+K lead to it.
 */
export function SearchBox({ value, onSearch, refused = false, compact = false }: SearchBoxProps) {
  const [text, setText] = useState(value)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => setText(value), [value])
  const focus = (): void => box.current?.focus()
  useHotkeys([['/', focus]])
  useHotkeys([['mod+K', focus]], [])

  const holdsNumber = isRefusedSearch(text)
  const fault = holdsNumber || (refused && text === '') ? CARD_NUMBER_REFUSED : null
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        if (!holdsNumber) onSearch(text.trim())
      }}
    >
      <TextInput
        ref={box}
        type="search"
        // In a dialog it has the focus first.
        data-autofocus
        size={compact ? 'xs' : 'sm'}
        aria-label={compact ? 'Search orders' : 'Search'}
        placeholder={
          compact
            ? 'Search orders'
            : 'Any id, e-mail, name, last four, amount, day; or several: kimura 61.00 last tuesday'
        }
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          text === '' ? (
            <Kbd size="xs" aria-hidden>
              /
            </Kbd>
          ) : undefined
        }
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={fault}
        {...(compact || fault !== null || text.trim() === '' || text.trim() === value
          ? {}
          : {
              description: understood(text),
              inputWrapperOrder: ['label', 'input', 'description', 'error'] as const,
            })}
      />
    </form>
  )
}

/** How the text is understood, while it is typed. */
function understood(text: string): string {
  const search = readSearch(text, dayIn(shownZone(), new Date()))
  if (search.kind !== 'search') return 'Keep typing to search'
  const { days, terms } = search
  const stretch = days === null ? [] : [describeDays(days)]
  const meanings = terms.map((readings) => readings.map(describeReading).join(' or '))
  return `Searches for ${[...meanings, ...stretch].join('; and ')}`
}

function describeDays({ from, to }: DayRange): string {
  return `${from === to ? `day ${from}` : `days ${from} to ${to}`} (${shownZone()})`
}
