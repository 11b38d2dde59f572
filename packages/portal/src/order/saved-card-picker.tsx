import { Loader, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { SavedCardFound } from '@tollgate/gateway/portal-api-order'
import { useState } from 'react'
import { api, queryText } from '../shell/api.ts'
import { dayText } from '../parts/when.tsx'

interface SavedCardPickerProps {
  readonly siteId: string
  readonly chosen: SavedCardFound | null
  readonly onChoose: (card: SavedCardFound | null) => void
}

/** Finds a card that a customer has left, by what a person has in hand. */
export function SavedCardPicker({ siteId, chosen, onChoose }: SavedCardPickerProps) {
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text.trim(), 250)
  const found = useQuery({
    queryKey: ['terminal', 'cards', siteId, settled],
    queryFn: ({ signal }) => api.get<readonly SavedCardFound[]>(`/terminal/cards${queryText({ site: siteId, text: settled })}`, signal),
    enabled: settled.length >= 2,
    placeholderData: keepPreviousData,
  })
  return (
    <Stack gap="xs">
      <TextInput
        label="Find the customer's card"
        description="By the beginning of the last name, first and last name, the whole e-mail address, or the last four digits"
        autoComplete="off"
        value={text}
        rightSection={found.isFetching ? <Loader size="xs" aria-label="Searching" /> : null}
        onChange={(event) => {
          setText(event.currentTarget.value)
          onChoose(null)
        }}
      />
      {found.error !== null && <Text size="sm" c="red" role="alert">{found.error.message}</Text>}
      {settled.length >= 2 && found.data?.length === 0 && <Text size="sm" c="dimmed">No saved card fits. Try less of the name, or the last four digits.</Text>}
      {found.data !== undefined && found.data.length > 0 && settled.length >= 2 && (
        <Radio.Group
          label="Cards, the latest first"
          value={chosen?.paymentMethodId ?? null}
          onChange={(id) => onChoose(found.data.find(({ paymentMethodId }) => paymentMethodId === id) ?? null)}
        >
          <Stack gap={4} mt={4}>
            {found.data.map((card) => (
              <Radio
                key={card.paymentMethodId}
                value={card.paymentMethodId}
                label={`${card.brand} •••• ${card.last4}${card.expiry === '' ? '' : `, ${card.expiry}`}: ${card.name || 'no name'}${card.email === '' ? '' : `, ${card.email}`}`}
                description={`Customer ${card.customerId}, last used ${dayText(card.lastUsedAt)}`}
              />
            ))}
          </Stack>
        </Radio.Group>
      )}
    </Stack>
  )
}
