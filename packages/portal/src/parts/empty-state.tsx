import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** In the place of a list that holds nothing: why, and what to do. */
export function EmptyState({
  title,
  text,
  action,
}: {
  readonly title: string
  readonly text: string
  readonly action?: ReactNode
}) {
  return (
    <Stack align="center" gap={6} py={48} px="md" ta="center">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw={520}>
        {text}
      </Text>
      {action}
    </Stack>
  )
}
