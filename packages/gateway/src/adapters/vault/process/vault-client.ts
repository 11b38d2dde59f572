import { connect, type Socket } from 'node:net'
import type { Secret } from '../../../base/secret.ts'
import { VaultUnavailableError } from '../../../usecases/vault/card-vault.ts'
import {
  createFrameReader,
  FRAME_BYTES_MAX,
  readAnswers,
  writeRequests,
  type VaultOperation,
  type VaultAnswer,
  type VaultRequest,
} from './frames.ts'

/** The address of the vault process of this node, and the secret that it asks for. */
export interface VaultSocket {
  readonly path: string
  readonly secret: Secret
}

export interface VaultClientOptions {
  readonly socket: VaultSocket
  /** The name of this process in the audit log. */
  readonly actor: string
  readonly monotonicMs: () => number
  /** Called when the connection is lost, and when it is there again. */
  readonly onState: (state: 'up' | 'down', why: string) => void
  /** How long an answer took from the question on, in seconds. */
  readonly onAnswered: (operation: VaultOperation, seconds: number) => void
}

export type VaultQuestion = Omit<VaultRequest, 'sequence'>

/** The gateway's end: requests of one turn of the event loop travel in one frame. */
export interface VaultClient {
  /**
   * Asks again by itself when the process was away meanwhile. Throws VaultUnavailableError without
   * an answer within `waitMs`, or `WAIT_MS`.
   */
  ask(question: VaultQuestion, waitMs?: number): Promise<VaultAnswer>
  /** The key of the subject digest, hexadecimal; waits for the connection. */
  digestKey(): Promise<string>
  /** `away`: there was no connection for some seconds, longer than a restart takes. */
  state(): 'up' | 'away'
  close(): void
}

/** A payment waits so long for a vault process that is started again. */
const WAIT_MS = 10_000
const LOOK_EVERY_MS = 250
const RECONNECT_MS = 50
const RECONNECT_MAX_MS = 1_000
/** A request that ends the process each time must not end it for ever. */
const TRIES_MAX = 3
const AWAY_AFTER_MS = 5_000

interface Waiting {
  readonly request: VaultRequest
  readonly askedMs: number
  readonly untilMs: number
  readonly resolve: (answer: VaultAnswer) => void
  readonly reject: (error: Error) => void
  tries: number
}

/** Connects, and connects again whenever the connection is lost. */
export function connectToVault(options: VaultClientOptions): VaultClient {
  const { actor, monotonicMs, socket: place } = options
  const waiting = new Map<number, Waiting>()
  const key = Promise.withResolvers<string>()
  key.promise.catch(() => undefined)
  let next: Waiting[] = []
  let socket: Socket | null = null
  let isUp = false
  let lastUpMs = monotonicMs()
  let sequence = 0
  let pauseMs = RECONNECT_MS
  let closed = false
  let retry: NodeJS.Timeout | undefined

  const newSequence = (): number => {
    sequence = (sequence % 0xffff_ffff) + 1
    return sequence
  }
  const send = (): void => {
    const sent = next
    next = []
    if (!isUp || sent.length === 0) return // Sent when the connection is there.
    for (const each of sent) each.tries += 1
    socket?.write(writeRequests(sent.map(({ request }) => request)))
  }
  const giveUp = (asked: Waiting, why: string): void => {
    waiting.delete(asked.request.sequence)
    asked.reject(new VaultUnavailableError(`The vault process ${why}.`))
  }
  const onUp = (greeted: VaultAnswer): void => {
    isUp = true
    pauseMs = RECONNECT_MS
    key.resolve(greeted.content.toString('hex'))
    options.onState('up', '')
    for (const asked of waiting.values()) {
      if (asked.tries >= TRIES_MAX) giveUp(asked, `was lost ${TRIES_MAX} times with the request`)
    }
    next = [...waiting.values()]
    send()
  }
  const onAnswer = (answer: VaultAnswer): void => {
    const asked = waiting.get(answer.sequence)
    if (asked === undefined) return // It came too late.
    waiting.delete(answer.sequence)
    options.onAnswered(asked.request.operation, (monotonicMs() - asked.askedMs) / 1_000)
    asked.resolve(answer)
  }

  const open = (): void => {
    const opened = connect(place.path)
    socket = opened
    let why = 'it closed the connection'
    const hello = newSequence()
    const read = createFrameReader(
      () => FRAME_BYTES_MAX,
      (body) => {
        for (const answer of readAnswers(body)) {
          if (answer.sequence === hello && answer.status === 'done') onUp(answer)
          else onAnswer(answer)
        }
      },
    )
    opened.once('connect', () => {
      const content = Buffer.from(place.secret.reveal(), 'utf8')
      const none = { kind: 0, id: 0n, merchantId: 0n }
      const request = {
        sequence: hello,
        operation: 'hello',
        name: actor,
        content,
        ...none,
      } as const
      opened.write(writeRequests([request]))
    })
    opened.on('data', (piece: Buffer) => {
      try {
        read(piece)
      } catch (error) {
        why = error instanceof Error ? error.message : String(error)
        opened.destroy()
      }
    })
    opened.on('error', (error) => (why = error.message))
    opened.once('close', () => {
      const wasUp = isUp
      isUp = false
      if (wasUp) lastUpMs = monotonicMs()
      if (closed) return
      if (wasUp) options.onState('down', why)
      retry = setTimeout(open, pauseMs)
      pauseMs = Math.min(pauseMs * 2, RECONNECT_MAX_MS)
    })
  }
  open()
  const look = setInterval(() => {
    const now = monotonicMs()
    for (const asked of waiting.values())
      if (now >= asked.untilMs) giveUp(asked, isUp ? 'did not answer in time' : 'is away')
  }, LOOK_EVERY_MS)

  return {
    ask(question, waitMs = WAIT_MS) {
      const { promise, resolve, reject } = Promise.withResolvers<VaultAnswer>()
      const request = { sequence: newSequence(), ...question }
      const askedMs = monotonicMs()
      const asked = { request, askedMs, untilMs: askedMs + waitMs, resolve, reject, tries: 0 }
      waiting.set(request.sequence, asked)
      if (isUp) {
        if (next.length === 0) setImmediate(send)
        next.push(asked)
      }
      return promise
    },
    digestKey: () => key.promise,
    state: () => (isUp || monotonicMs() - lastUpMs < AWAY_AFTER_MS ? 'up' : 'away'),
    close() {
      closed = true
      clearTimeout(retry)
      clearInterval(look)
      for (const asked of waiting.values()) giveUp(asked, 'is not asked any more: a stop')
      socket?.destroy()
    },
  }
}
