import { Text } from '@mantine/core'

/** A day in ISO 8601 as a file states it, in one line; a dash where it states none. */
export function Day({ day }: { readonly day: string | null }) {
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {day ?? '–'}
    </Text>
  )
}
