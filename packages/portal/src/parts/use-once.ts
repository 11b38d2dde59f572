import { useRef } from 'react'

/**
 * Sends once: who presses again before the page has noticed the first time shares in it, and once
 * it is done nothing more is sent. After a fault it can be tried again.
 */
export function useOnce(send: () => Promise<void>): () => Promise<void> {
  const sent = useRef<Promise<void> | null>(null)
  return () => {
    sent.current ??= send().catch((error: unknown) => {
      sent.current = null
      throw error
    })
    return sent.current
  }
}
