import type { Entry, Heard } from './answer-book.ts'

/** A request, as far as it matters which ones belong together. */
export type Asked = Pick<Entry, 'action'> &
  Partial<Pick<Entry, 'reference' | 'orderId' | 'key' | 'replay'>>

const MOST_REPEATS = 5

/** Sends a request, at times twice at once, and again until there is an answer. */
export async function sendUntilHeard(
  send: () => Promise<Heard>,
  twice: boolean,
  isStopped: () => boolean,
): Promise<void> {
  const first = send()
  if (twice) await send()
  let heard = await first
  for (let tries = 0; heard.kind === 'nothing' && tries < MOST_REPEATS; tries += 1) {
    if (isStopped()) return
    heard = await send()
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
