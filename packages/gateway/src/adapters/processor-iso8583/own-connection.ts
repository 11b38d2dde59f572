import {
  createLinkClient,
  readBankTest,
  type IsoMessage,
  type LinkClientOptions,
  type LinkReply,
} from '@tollgate/iso8583'

/** Faults after which the connection is gone, with every request that waits on it. */
const COSTLY: ReadonlySet<string> = new Set(['closed', 'torn', 'reset', 'wrong-bitmap'])
/** How long the connection of one message may take to come up. */
const UP_WITHIN_MS = 5_000

/** Whether the words of a test make the bank break the connection. */
export function costsConnection(bankTest: string): boolean {
  const reading = readBankTest(bankTest)
  return reading.kind === 'read' && COSTLY.has(reading.words.get('answer') ?? '')
}

/**
 * Sends one message over a connection of its own, so that its fault costs no other message its
 * answer. The identity of a message does not depend on its connection.
 */
export async function sendAlone(
  options: LinkClientOptions,
  message: IsoMessage,
  timeoutMs: number,
): Promise<LinkReply> {
  const link = createLinkClient(options)
  link.start()
  try {
    const isUp = await isUpWithin(link.whenUp(), Math.min(timeoutMs, UP_WITHIN_MS))
    return isUp ? await link.send(message, timeoutMs) : { kind: 'not_sent', reason: 'link_down' }
  } finally {
    // Nothing else waits on it, and the caller does not wait for its end.
    void link.stop()
  }
}

async function isUpWithin(up: Promise<void>, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), limitMs)
  try {
    return await Promise.race([up.then(() => true), late])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
