import { Alert, Button, Group } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

/** In the place of what could not be loaded. */
export function Fault({
  error,
  onRetry,
}: {
  readonly error: Error
  readonly onRetry?: () => void
}) {
  return (
    <Alert
      color="red"
      role="alert"
      icon={<IconAlertTriangle size={18} />}
      title="Loading failed"
      m="md"
    >
      <Group justify="space-between" gap="sm">
        {error.message}
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  )
}
