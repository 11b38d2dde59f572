import { Alert, Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, type ReactNode } from 'react'
import { Dialog } from './dialog.tsx'

interface ConfirmProps {
  readonly opened: boolean
  readonly title: string
  /** The effect, with the amount if money moves. */
  readonly children: ReactNode
  /** `Refund 12.50 EUR`: what it does, never `OK`. */
  readonly action: string
  /** The button's text where `Cancel` would be read as the operation. */
  readonly dismiss?: string
  readonly dangerous?: boolean
  readonly disabled?: boolean
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/**
 * Asks once more before something is done. It is done once, however often the button is pressed.
 */
export function Confirm({
  opened,
  title,
  children,
  action,
  dismiss = 'Cancel',
  dangerous = false,
  disabled = false,
  onConfirm,
  onClose,
}: ConfirmProps) {
  // Known at once, where the state of a component is known when it is drawn again.
  const sent = useRef(false)
  const run = useMutation({
    mutationFn: onConfirm,
    onSuccess: onClose,
    onError: () => {
      sent.current = false
    },
  })
  useEffect(() => {
    if (opened) sent.current = false
  }, [opened])
  const close = (): void => {
    if (run.isPending) return
    run.reset()
    onClose()
  }
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (sent.current) return
          sent.current = true
          run.mutate()
        }}
      >
        {children}
        {run.error !== null && (
          <Alert color="red" role="alert">
            {run.error.message}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={run.isPending}>
            {dismiss}
          </Button>
          <Button
            type="submit"
            color={dangerous ? 'red' : undefined}
            loading={run.isPending}
            disabled={disabled}
            // A disabled button cannot take the focus of the dialog.
            data-autofocus={!disabled || undefined}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
