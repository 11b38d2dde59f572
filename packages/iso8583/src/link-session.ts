import type { Socket } from 'node:net'
import { answerTo } from './answer-to.ts'
import type { Codec, IsoMessage } from './codec.ts'
import { FrameWriter } from './framing.ts'
import { Iso8583Error } from './iso8583-error.ts'
import { NETWORK_CODES } from './link-management.ts'
import { MessageReader } from './message-reader.ts'

/** One connected peer, as the host's own code sees it. */
export interface LinkSession {
  /** Counts the sessions of one server, from 1. */
  readonly id: number
  readonly signedOn: boolean
  /** Sends a message, an answer or one of its own. Throws Iso8583Error on an invalid one. */
  write(message: IsoMessage): void
  /** Sends bytes as they are, without a frame and in order with the messages. */
  writeRaw(bytes: Buffer): void
  /** Sends all waiting messages, then closes. */
  end(): void
  /** Closes at once; waiting messages are lost. */
  destroy(): void
  /** As `destroy`, and the peer sees a connection that was reset. */
  reset(): void
}

export type MessageHandler = (
  message: IsoMessage,
  session: LinkSession,
) => Promise<IsoMessage | null> | IsoMessage | null

export interface SessionOptions {
  readonly codec: Codec
  /** Gives the answer, or null to send none. */
  readonly onMessage: MessageHandler
  /** The peer sent unreadable bytes; the session is closed already. */
  readonly onBadFrame: (error: Iso8583Error, session: LinkSession) => void
  /** The handler failed, or its answer cannot be encoded; the peer gets no answer. */
  readonly onHandlerError?: (error: unknown, session: LinkSession) => void
  /** DE 32 of the only institution that may sign on; by default, any may. */
  readonly institutionId?: string
  /** Whether the sender of a sign-on knows the secret; by default, none is needed. */
  readonly isProven?: (message: IsoMessage) => boolean
  /** A sign-on was answered with 58. It must not throw. */
  readonly onSignOnRefused?: (message: IsoMessage) => void
  /** Reading pauses while more messages than this are being handled; 4096 by default. */
  readonly maxOpenMessages?: number
  /** Reading pauses while more bytes than this wait for a slow reader; 1 MiB by default. */
  readonly maxUnsentBytes?: number
}

/** DE 39 of management answers, and of everything that comes before the sign-on. */
const APPROVED = '00'
const INVALID_REQUEST = '12'
const NOT_PERMITTED = '58'

const DEFAULT_OPEN_MESSAGES = 4096
const DEFAULT_UNSENT_BYTES = 1024 * 1024

/** The host's end of one connection: management messages, refusal before sign-on, back-pressure. */
export class TcpLinkSession implements LinkSession {
  readonly id: number
  readonly #socket: Socket
  readonly #options: SessionOptions
  readonly #reader: MessageReader
  readonly #writer: FrameWriter
  readonly #closed: Promise<void>
  #signedOn = false
  #ended = false
  #open = 0
  #whenIdle: (() => void)[] = []

  constructor(id: number, socket: Socket, options: SessionOptions) {
    this.id = id
    this.#socket = socket
    this.#options = options
    this.#reader = new MessageReader(options.codec)
    this.#writer = new FrameWriter(socket)
    this.#closed = new Promise((resolve) => socket.on('close', () => resolve()))
    socket.setNoDelay(true)
    // No encoding is set, so data arrive as bytes.
    socket.on('data', (chunk) => this.#receive(chunk as Buffer))
    socket.on('drain', () => this.#regulate())
    // `close` follows each error. A reset by the peer is no error of this server.
    socket.on('error', () => {})
  }

  get signedOn(): boolean {
    return this.#signedOn
  }

  get closed(): Promise<void> {
    return this.#closed
  }

  write(message: IsoMessage): void {
    this.#writer.write(this.#options.codec.encode(message))
  }

  writeRaw(bytes: Buffer): void {
    this.#writer.writeRaw(bytes)
  }

  end(): void {
    this.#writer.flush()
    // Not destroyed right away: closing with unread bytes would reset the connection, and the peer
    // could lose the last messages. The peer closes its half in turn.
    this.#ended = true
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  reset(): void {
    this.#socket.resetAndDestroy()
  }

  /** Resolves once no message is being handled any more. */
  whenIdle(): Promise<void> {
    if (this.#open === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  #receive(chunk: Buffer): void {
    if (this.#ended) return
    for (const message of this.#reader.read(chunk)) {
      this.#take(message)
      if (this.#socket.destroyed) return
    }
    if (this.#reader.fault !== null) this.#refuse(this.#reader.fault)
    this.#regulate()
  }

  #refuse(error: Iso8583Error): void {
    this.destroy()
    this.#options.onBadFrame(error, this)
  }

  #take(message: IsoMessage): void {
    const isManagement = message.mti[1] === '8'
    if (this.#signedOn && !isManagement) {
      void this.#handle(message)
      return
    }
    let answer
    try {
      answer = answerTo(message, { 39: isManagement ? this.#manage(message) : NOT_PERMITTED })
    } catch (error) {
      // An answer to nothing, from a peer that is not signed on or about the network itself.
      if (!(error instanceof Iso8583Error)) throw error
      this.#refuse(error)
      return
    }
    this.write(answer)
  }

  #manage(message: IsoMessage): string {
    const networkCode = message.fields[70]
    if (networkCode === NETWORK_CODES.signOn) {
      const { institutionId = message.fields[32] } = this.#options
      const isKnown = message.fields[32] === institutionId
      if (!isKnown || this.#options.isProven?.(message) === false) {
        this.#options.onSignOnRefused?.(message)
        return NOT_PERMITTED
      }
      this.#signedOn = true
      return APPROVED
    }
    if (!this.#signedOn) return NOT_PERMITTED
    if (networkCode === NETWORK_CODES.signOff) {
      this.#signedOn = false
      return APPROVED
    }
    return networkCode === NETWORK_CODES.echo ? APPROVED : INVALID_REQUEST
  }

  async #handle(message: IsoMessage): Promise<void> {
    this.#open += 1
    try {
      const answer = await this.#options.onMessage(message, this)
      if (answer !== null) this.write(answer)
    } catch (error) {
      // Without a taker the fault of the handler ends the process: loud, and no answer is made up.
      if (this.#options.onHandlerError === undefined) throw error
      this.#options.onHandlerError(error, this)
    } finally {
      this.#open -= 1
      if (this.#open === 0) for (const resolve of this.#whenIdle.splice(0)) resolve()
      this.#regulate()
    }
  }

  /** Stops reading from a peer that asks faster than it is answered, or does not read answers. */
  #regulate(): void {
    const { maxOpenMessages, maxUnsentBytes } = this.#options
    const isBehind =
      this.#open > (maxOpenMessages ?? DEFAULT_OPEN_MESSAGES) ||
      this.#socket.writableLength > (maxUnsentBytes ?? DEFAULT_UNSENT_BYTES)
    if (isBehind) this.#socket.pause()
    else if (this.#socket.isPaused()) this.#socket.resume()
  }
}
