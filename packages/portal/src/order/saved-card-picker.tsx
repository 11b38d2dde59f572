import { Loader, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, skipToken } from '@tanstack/react-query'
import type { SavedCardFound } from '@tollgate/portal-contract/answers/order'
import * as routes from '@tollgate/portal-contract/routes'
import { useEffect, useRef, useState } from 'react'
import { cardText } from '../parts/card-text.ts'
import { dayText } from '../parts/when.tsx'
import { call } from '../shell/api.ts'

interface SavedCardPickerProps {
  readonly siteId: string
  /** The customer whose cards are listed before a search, and the card that is chosen at once. */
  readonly wanted: { readonly customerId: string; readonly paymentMethodId: string | null } | null
  readonly chosen: SavedCardFound | null
  readonly onChoose: (card: SavedCardFound | null) => void
}

/** Finds a card that a customer has left, by what a portal user has in hand. */
export function SavedCardPicker({ siteId, wanted, chosen, onChoose }: SavedCardPickerProps) {
  const [text, setText] = useState('')
  const [debouncedText] = useDebouncedValue(text.trim(), 250)
  const query =
    debouncedText.length >= 2
      ? { site: siteId, text: debouncedText }
      : text === '' && wanted !== null
        ? { site: siteId, customer: wanted.customerId }
        : null
  const found = useQuery({
    queryKey: ['terminal', 'cards', siteId, query],
    queryFn:
      query === null ? skipToken : ({ signal }) => call(routes.terminal.cards, { query, signal }),
    placeholderData: keepPreviousData,
  })
  const wasChosen = useRef(false)
  useEffect(() => {
    const card = found.data?.find(
      ({ paymentMethodId }) => paymentMethodId === wanted?.paymentMethodId,
    )
    if (card === undefined || wasChosen.current) return
    wasChosen.current = true
    onChoose(card)
  }, [found.data, wanted, onChoose])
  return (
    <Stack gap="xs">
      <TextInput
        label="Find a saved card"
        description="Enter the beginning of the last name, first and last name, the full e-mail address, or the last four digits"
        autoComplete="off"
        value={text}
        rightSection={found.isFetching ? <Loader size="xs" aria-label="Searching" /> : null}
        onChange={(event) => {
          setText(event.currentTarget.value)
          onChoose(null)
        }}
      />
      {found.error !== null && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {found.error.message}
        </Text>
      )}
      {query !== null && found.data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {debouncedText.length >= 2
            ? 'No results. Enter less of the name, or the last four digits.'
            : 'The customer has no saved card for this site.'}
        </Text>
      )}
      {found.data !== undefined && found.data.length > 0 && query !== null && (
        <Radio.Group
          label="Cards, newest first"
          value={chosen?.paymentMethodId ?? null}
          onChange={(id) =>
            onChoose(found.data.find(({ paymentMethodId }) => paymentMethodId === id) ?? null)
          }
        >
          <Stack gap={4} mt={4}>
            {found.data.map((card) => (
              <Radio
                key={card.paymentMethodId}
                value={card.paymentMethodId}
                label={`${cardText(card)}${card.expiry === '' ? '' : `, ${card.expiry}`}: ${card.name || 'no name'}${card.email === '' ? '' : `, ${card.email}`}`}
                description={`Customer ${card.customerId}, last used ${dayText(card.lastUsedAt)}`}
              />
            ))}
          </Stack>
        </Radio.Group>
      )}
    </Stack>
  )
}
