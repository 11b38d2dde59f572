import { Button, Group, Text } from '@mantine/core'
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface PagerProps {
  /** The content of the list, for screen readers. */
  readonly label: string
  /** How far the search got; screen readers announce each change. */
  readonly text?: ReactNode
  /** Absent on the first page, and where a list grows instead of being turned. */
  readonly onFirst?: (() => void) | undefined
  /** Null where there is no more. */
  readonly onNext: (() => void) | null
  /** `Show more` where what comes is added below. */
  readonly nextLabel?: string
  readonly isLoading?: boolean
  /** Further buttons, before these. */
  readonly children?: ReactNode
}

/**
 * Below every list that does not end with what is shown. The browser's Back goes back by one page.
 */
export function Pager({
  label,
  text,
  onFirst,
  onNext,
  nextLabel = 'Next page',
  isLoading = false,
  children,
}: PagerProps) {
  const hasButtons =
    onFirst !== undefined || onNext !== null || (children !== undefined && children !== false)
  if (!hasButtons && text === undefined) return null
  return (
    <Group component="nav" aria-label={`Pages of ${label}`} justify="space-between" gap="xs">
      <Text size="sm" c="dimmed" role="status">
        {text}
      </Text>
      <Group gap="xs">
        {children}
        {onFirst !== undefined && (
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            onClick={onFirst}
          >
            First page
          </Button>
        )}
        {onNext !== null && (
          <Button
            variant="default"
            loading={isLoading}
            rightSection={nextLabel === 'Next page' && <IconArrowRight size={16} aria-hidden />}
            onClick={onNext}
          >
            {nextLabel}
          </Button>
        )}
      </Group>
    </Group>
  )
}
