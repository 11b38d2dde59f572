import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Watchdog } from './watchdog.ts'

export interface SignIn {
  readonly port: number
  readonly isTls: boolean
}

/** The result of one connection. */
export interface Exchange {
  readonly bytes: Buffer
  /** The connection was broken rather than ended. */
  readonly wasReset: boolean
  /** Nothing ended it for as long as the watchdog's patience lasts. */
  readonly hung: boolean
  /** From the first attempt to connect to the end of the connection, in milliseconds. */
  readonly tookMs: number
}

/**
 * Our behaviour after the last piece. `stay`: wait until the gateway ends the connection, as it
 * must after a whole request that says it is the last. `leave`: close it at once. `wait a little`:
 * end our half when nothing came while a few other inputs were answered, since the request may
 * never become whole.
 */
export type Ending = 'stay' | 'leave' | 'wait a little'

const A_LITTLE = 3
/** Twice the time limit of an incomplete request (20 s), in answers to others. */
const PATIENCE = 800

/**
 * Writes the pieces one after the other, each as a packet of its own, and reads until the
 * connection has ended. TLS has no half that could be ended by itself: there it is closed.
 */
export async function exchange(
  signIn: SignIn,
  pieces: readonly Buffer[],
  watchdog: Watchdog,
  ending: Ending = 'stay',
): Promise<Exchange> {
  const since = performance.now()
  const address = { port: signIn.port, host: '127.0.0.1', noDelay: true }
  const socket: Socket = signIn.isTls
    ? connectTls({ ...address, rejectUnauthorized: false })
    : connect({ ...address, allowHalfOpen: true })
  const chunks: Buffer[] = []
  let wasReset = false
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => (wasReset = true))
  socket.on('end', () => socket.end())
  const connected = Promise.withResolvers<void>()
  socket.once(signIn.isTls ? 'secureConnect' : 'connect', () => connected.resolve())
  await Promise.race([connected.promise, closed])
  for (const piece of pieces) {
    if (socket.destroyed || !socket.writable) break
    const written = Promise.withResolvers<void>()
    socket.write(piece, () => written.resolve())
    await Promise.race([written.promise, closed])
  }
  if (ending === 'leave') socket.destroy()
  if (ending === 'wait a little') {
    for (let heard = -1; heard !== socket.bytesRead && !socket.destroyed;) {
      heard = socket.bytesRead
      await Promise.race([closed, watchdog.afterAnswers(A_LITTLE, closed)])
    }
    socket.end()
  }
  const patience = watchdog.afterAnswers(PATIENCE, closed).then(() => 'hung' as const)
  const hung = (await Promise.race([closed, patience])) === 'hung'
  if (hung) socket.destroy()
  const tookMs = performance.now() - since
  return { bytes: Buffer.concat(chunks), wasReset, hung, tookMs }
}
