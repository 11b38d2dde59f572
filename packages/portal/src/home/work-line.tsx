import { Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** One line of the open work, with a sign whether something is to be done. */
export function WorkLine({
  isFine,
  children,
}: {
  readonly isFine: boolean
  readonly children: ReactNode
}) {
  const LineIcon = isFine ? IconCircleCheck : IconAlertTriangle
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <LineIcon
        size={18}
        color={isFine ? 'var(--mantine-color-green-7)' : 'var(--mantine-color-orange-7)'}
        style={{ flexShrink: 0, marginTop: 1 }}
        aria-label={isFine ? 'OK' : 'Needs attention'}
        role="img"
      />
      <Text size="sm" component="div">
        {children}
      </Text>
    </Group>
  )
}
