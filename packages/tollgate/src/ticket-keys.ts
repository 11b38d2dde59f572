import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'

/** Stolen keys open at most the sessions of an hour. Nothing of them is ever stored. */
const CHANGE_EVERY_MS = 60 * 60 * 1000
/** A name of 16 bytes, a key to sign and a key to encrypt. */
const TICKET_KEYS_BYTES = 48

/**
 * Gives every worker the same keys for TLS session tickets, so that a client can
 * resume its session at any of them. Without the keys a worker makes a full handshake.
 */
export function shareTicketKeys(): {
  /** Sends the keys to a new worker, and after each change. */
  handTo(worker: ChildProcess): void
  stop(): void
} {
  const workers = new Set<ChildProcess>()
  let keys = randomBytes(TICKET_KEYS_BYTES)
  const sendKeys = (worker: ChildProcess): void => {
    // A worker that is gone or going needs none; its end is noticed elsewhere.
    if (worker.connected) {
      worker.send({ kind: 'ticket keys', keys: keys.toString('base64') }, () => undefined)
    }
  }
  const timer = setInterval(() => {
    keys = randomBytes(TICKET_KEYS_BYTES)
    for (const worker of workers) sendKeys(worker)
  }, CHANGE_EVERY_MS).unref()
  return {
    handTo(worker) {
      workers.add(worker)
      worker.once('exit', () => workers.delete(worker))
      // A worker does not listen before its first message, which reports that it is ready.
      worker.once('message', () => sendKeys(worker))
    },
    stop: () => clearInterval(timer),
  }
}
