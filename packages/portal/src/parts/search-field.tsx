import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'

interface SearchFieldProps {
  /** The current search, as in the address. */
  readonly value: string
  readonly onSearch: (text: string) => void
  readonly label?: string
  readonly placeholder: string
  readonly width?: number
}

/** Asks while it is typed, a moment after the last key; at once by Enter, or when it is left. */
export function SearchField({
  value,
  onSearch,
  label = 'Search',
  placeholder,
  width = 340,
}: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  // The address follows the typed text; it must not remove the blank after which the user types on.
  useEffect(() => setTyped((now) => (now.trim() === value ? now : value)), [value])
  const later = useDebouncedCallback(onSearch, 300)
  return (
    <TextInput
      type="search"
      label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} aria-hidden />}
      w={{ base: '100%', xs: width }}
      value={typed}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text)
        if (text.trim().length !== 1) later(text.trim())
      }}
      // A user who goes on to a row must not be led back from its page by a pending search.
      onBlur={() => later.flush()}
      onKeyDown={({ key }) => key === 'Enter' && later.flush()}
    />
  )
}
