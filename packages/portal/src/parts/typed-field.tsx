import { TextInput, type TextInputProps } from '@mantine/core'

interface TypedFieldProps extends Pick<TextInputProps, 'label' | 'placeholder' | 'type' | 'w'> {
  readonly value: string | undefined
  readonly onApply: (text: string) => void
}

/** A filter that is typed: it counts once it is left, or by Enter. */
export function TypedField({ value = '', onApply, ...shown }: TypedFieldProps) {
  const apply = (text: string): void => {
    if (text.trim() !== value) onApply(text.trim())
  }
  return (
    <TextInput
      {...shown}
      key={value}
      defaultValue={value}
      onBlur={(event) => apply(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && apply(event.currentTarget.value)}
    />
  )
}
