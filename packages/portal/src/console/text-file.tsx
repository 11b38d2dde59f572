import { Button, FileButton, Group, Stack, Textarea } from '@mantine/core'

/** A JSON text that is typed, pasted, or read from a chosen file. */
export function TextFile({
  label,
  description,
  text,
  onChange,
}: {
  readonly label: string
  readonly description: string
  readonly text: string
  readonly onChange: (text: string) => void
}) {
  const read = async (chosen: File | null): Promise<void> => {
    if (chosen !== null) onChange(await chosen.text())
  }
  return (
    <Stack gap="xs">
      <Textarea
        label={label}
        description={description}
        autosize
        minRows={8}
        maxRows={24}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={text}
        onChange={({ currentTarget: { value } }) => onChange(value)}
      />
      <Group>
        <FileButton accept="application/json,.json" onChange={(chosen) => void read(chosen)}>
          {(props) => (
            <Button {...props} variant="default">
              Choose a file
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  )
}
