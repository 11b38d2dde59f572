import { Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'

interface PageProps {
  readonly title: string
  /** One sentence, where the title does not say enough. */
  readonly text?: ReactNode
  /** Buttons at the right of the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page: its title, what can be done on it, and the rest. */
export function Page({ title, text, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Tollgate`)
  return (
    <Stack gap="md" maw={1800} mx="auto">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div style={{ flex: '1 1 320px', minWidth: 0 }}>
          <Title order={1} size="h3">
            {title}
          </Title>
          {text !== undefined && (
            <Text component="div" c="dimmed" size="sm" maw="90ch">
              {text}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
