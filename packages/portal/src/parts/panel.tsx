import { Group, Paper, Stack, Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'

/** A framed part of a page, with its name and what can be chosen or done there. */
export function Panel({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}) {
  const id = useId()
  return (
    <Paper withBorder p="md" miw={0} component="section" aria-labelledby={id}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h5" id={id}>
            {title}
          </Title>
          {actions}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}
