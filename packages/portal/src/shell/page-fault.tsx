import { Alert, Button, Group } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { Page } from '../parts/page.tsx'

/**
 * In the place of a page that failed by itself, such as one whose files an update of the gateway
 * replaced.
 */
export function PageFault({ error }: ErrorComponentProps) {
  return (
    <Page title="This page could not be shown">
      <Alert color="red" role="alert">
        Reload the page. If that does not help, send this message to the operator:{' '}
        {error instanceof Error ? error.message : String(error)}
      </Alert>
      <Group>
        <Button onClick={() => window.location.reload()}>Reload</Button>
      </Group>
    </Page>
  )
}
