import { Button, Group } from '@mantine/core'
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react'

interface PagerProps {
  /** Whether this is not the first page. */
  readonly isBeyondFirst: boolean
  readonly onFirst: () => void
  /** Null: this is the last page. */
  readonly onNext: (() => void) | null
  readonly label: string
}

/** Below a list that pages by where the page before ended; the browser's Back goes back by one. */
export function Pager({ isBeyondFirst, onFirst, onNext, label }: PagerProps) {
  if (!isBeyondFirst && onNext === null) return null
  return (
    <Group component="nav" aria-label={`Pages of ${label}`} justify="flex-end" gap="xs">
      <Button variant="default" size="xs" leftSection={<IconArrowLeft size={14} />} disabled={!isBeyondFirst} onClick={onFirst}>
        First page
      </Button>
      <Button variant="default" size="xs" rightSection={<IconArrowRight size={14} />} disabled={onNext === null} onClick={() => onNext?.()}>
        Next page
      </Button>
    </Group>
  )
}
