import { createHash, timingSafeEqual } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import type { Secret } from '../../../base/secret.ts'
import {
  createFrameReader,
  FRAME_BYTES_MAX,
  readRequests,
  writeAnswers,
  type VaultAnswer,
  type VaultRequest,
} from './frames.ts'
import { isActor } from './policy.ts'
import { workOn, type VaultWork, type WorkerDeps } from './vault-work.ts'

export interface VaultServerOptions extends WorkerDeps {
  /** In a folder that only the system user of the gateway may enter. */
  readonly path: string
  /** Every gateway process of this node has it from the supervisor. */
  readonly secret: Secret
  /** The work as this gateway process has it done: the audit log names it. */
  readonly workFor: (actor: string) => VaultWork
  /** The key of the subject digest, which every gateway process gets. */
  readonly digestKey: string
  /** A peer was turned away; the connection is closed. */
  readonly onTurnedAway: (why: string) => void
}

export interface VaultServer {
  /** Takes no more requests, answers the open ones, and closes. */
  stop(): Promise<void>
}

/** A hello has a secret and a name. */
const HELLO_BYTES_MAX = 512
const HELLO_WAIT_MS = 5_000
/** Far above what one gateway process has open; more is a mistake or an attack. */
const OPEN_REQUESTS_MAX = 20_000

/** Answers gateway processes at a Unix socket. Rejects when the path cannot be listened at. */
export async function startVaultServer(options: VaultServerOptions): Promise<VaultServer> {
  const sockets = new Set<Socket>()
  const open = new Set<Promise<void>>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    serve(socket, options, open)
  })
  rmSync(options.path, { force: true })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject)
  server.listen(options.path, listening.resolve)
  await listening.promise
  chmodSync(options.path, 0o600)
  return {
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.pause()
      await Promise.all(open)
      for (const socket of sockets) socket.destroySoon()
      await closed
    },
  }
}

function serve(socket: Socket, options: VaultServerOptions, open: Set<Promise<void>>): void {
  let work: VaultWork | null = null
  let openHere = 0
  let answers: VaultAnswer[] = []
  const turnAway = (why: string): void => {
    options.onTurnedAway(why)
    socket.destroy()
  }
  const late = setTimeout(() => turnAway('it did not introduce itself in time'), HELLO_WAIT_MS)
  const send = (): void => {
    const ready = answers
    answers = []
    if (socket.writable) socket.write(writeAnswers(ready))
  }
  const answer = (each: VaultAnswer): void => {
    if (answers.length === 0) setImmediate(send)
    answers.push(each)
  }
  const take = (request: VaultRequest, doneBy: VaultWork): void => {
    openHere += 1
    const working = workOn(doneBy, request, options).then((each) => {
      openHere -= 1
      open.delete(working)
      answer(each)
    })
    open.add(working)
  }
  const greet = (requests: readonly VaultRequest[]): void => {
    const [hello] = requests
    if (requests.length !== 1 || hello?.operation !== 'hello')
      return turnAway('it did not say hello')
    if (!matches(hello.content, options.secret)) return turnAway('it does not know the secret')
    if (!isActor(hello.name)) return turnAway('it has no name of a gateway process')
    clearTimeout(late)
    work = options.workFor(hello.name)
    const content = Buffer.from(options.digestKey, 'hex')
    answer({ sequence: hello.sequence, status: 'done', dataKeyId: 0, content })
  }
  const read = createFrameReader(
    () => (work === null ? HELLO_BYTES_MAX : FRAME_BYTES_MAX),
    (body) => {
      const requests = readRequests(body)
      if (work === null) return greet(requests)
      if (openHere + requests.length > OPEN_REQUESTS_MAX) return turnAway('it asks for too much')
      for (const request of requests) take(request, work)
    },
  )
  socket.on('error', () => undefined)
  socket.once('close', () => clearTimeout(late))
  socket.on('data', (piece: Buffer) => {
    if (socket.destroyed) return
    try {
      read(piece)
    } catch (error) {
      turnAway(error instanceof Error ? error.message : String(error))
    }
  })
}

/** In constant time for any bytes. */
function matches(sent: Buffer, secret: Secret): boolean {
  const digest = (text: Buffer | string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(sent), digest(secret.reveal()))
}
