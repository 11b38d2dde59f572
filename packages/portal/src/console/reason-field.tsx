import { TextInput } from '@mantine/core'

/** The reason of an operation that may wait for a second operator. */
export function ReasonField({
  reason,
  onChange,
}: {
  readonly reason: string
  readonly onChange: (reason: string) => void
}) {
  return (
    <TextInput
      label="Reason"
      description="For the second operator, if one has to confirm."
      maxLength={200}
      value={reason}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
