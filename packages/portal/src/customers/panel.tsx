import { Group, Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A part of a page with a head of its own. */
export function Panel({ title, actions, children }: { readonly title: string; readonly actions?: ReactNode; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h5">{title}</Title>
          {actions}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}
