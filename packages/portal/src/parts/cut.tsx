import { Text } from '@mantine/core'

/** A text of any length on one line; the full text is shown under the pointer. */
export function Cut({ text, max }: { readonly text: string; readonly max: number }) {
  return (
    <Text span inherit display="block" truncate maw={max} title={text}>
      {text}
    </Text>
  )
}
