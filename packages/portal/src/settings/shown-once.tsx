import { Alert, Button, Checkbox, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import classes from './settings.module.css'

interface ShownOnceProps {
  /** Null while there is nothing to show. */
  readonly secret: string | null
  readonly title: string
  /** The use of the secret, and the next step. */
  readonly text: string
  readonly onClose: () => void
}

/** A password or key that is shown only here. It is not closed by accident. */
export function ShownOnce({ secret, title, text, onClose }: ShownOnceProps) {
  const [isKept, setKept] = useState(false)
  const close = (): void => {
    setKept(false)
    onClose()
  }
  return (
    <Dialog
      opened={secret !== null}
      onClose={close}
      title={title}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      <Stack>
        <Text size="sm">{text}</Text>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Code block className={classes.secret} flex={1} tabIndex={0} data-testid="secret">
            {secret}
          </Code>
          <CopyButton value={secret ?? ''}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                onClick={copy}
                leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
                data-autofocus
              >
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </Group>
        <Alert color="orange">This is shown only once. The gateway cannot show it again.</Alert>
        <Checkbox
          label="I have saved it"
          checked={isKept}
          onChange={(event) => setKept(event.currentTarget.checked)}
        />
        <Group justify="flex-end">
          <Button onClick={close} disabled={!isKept}>
            Close
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
