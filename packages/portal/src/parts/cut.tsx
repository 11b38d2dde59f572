import { Text } from '@mantine/core'

/** A text of any length on one line; what is cut off is told when it is pointed at. */
export function Cut({ text, max }: { readonly text: string; readonly max: number }) {
  return (
    <Text span inherit display="block" truncate maw={max} title={text}>
      {text}
    </Text>
  )
}
