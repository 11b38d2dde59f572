import { notifications } from '@mantine/notifications'

/** The button has a picture only, and needs a name for screen readers. */
const closeButtonProps = { 'aria-label': 'Close the message' }

/** A short note that something was done. */
export function showDone(message: string): void {
  notifications.show({ message, color: 'green', closeButtonProps })
}

export function showFault(error: Error): void {
  notifications.show({ message: error.message, color: 'red', autoClose: 10_000, closeButtonProps })
}
