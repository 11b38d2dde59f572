import { notifications } from '@mantine/notifications'

/** A short note that something was done. */
export function showDone(message: string): void {
  notifications.show({ message, color: 'green' })
}

export function showFault(error: Error): void {
  notifications.show({ message: error.message, color: 'red', autoClose: 10_000 })
}
