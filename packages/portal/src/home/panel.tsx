import { Group, Paper, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A framed part of the page with a title of its own. */
export function Panel({ title, actions, children }: { readonly title: string; readonly actions?: ReactNode; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h5">{title}</Title>
        {actions}
      </Group>
      {children}
    </Paper>
  )
}
