import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Codec, IsoMessage } from './codec.ts'
import { FrameWriter, frame } from './framing.ts'
import type { LinkReply } from './link-reply.ts'
import { connectTls, tlsFaultText } from './link-tls.ts'
import { pairingKey } from './message-key.ts'
import { MessageReader } from './message-reader.ts'
import { answerMti } from './mti.ts'
import { PendingReplies } from './pending-replies.ts'

/** Why a connection ended. */
export type LinkDownReason =
  | 'connect_failed'
  | 'echo_missed'
  | 'peer_closed'
  | 'reply_unreadable'
  | 'sign_on_failed'
  | 'stopped'
  | 'tls_failed'

/** A message that is ready to go: framed, with the key and the type of its answer. */
export interface PreparedRequest {
  readonly frame: Buffer
  readonly key: string
  readonly answerMti: string
}

/** Throws Iso8583Error when the message cannot be sent or could not be paired with an answer. */
export function prepareRequest(codec: Codec, message: IsoMessage): PreparedRequest {
  return {
    frame: frame(codec.encode(message)),
    key: pairingKey(message),
    answerMti: answerMti(message.mti),
  }
}

export interface LinkConnectionOptions {
  readonly host: string
  readonly port: number
  readonly codec: Codec
  readonly connectTimeoutMs: number
  /** Null for a link in plain text. */
  readonly secureContext: SecureContext | null
  readonly onConnected: () => void
  /** Called once, after everything that was open has become `unknown`; `detail` may say more. */
  readonly onLost: (reason: LinkDownReason, detail: string | null) => void
  readonly onUnmatched: (message: IsoMessage) => void
}

/** One TCP connection, from the attempt to connect to its end. It never connects again. */
export class LinkConnection {
  readonly #options: LinkConnectionOptions
  readonly #socket: Socket
  readonly #reader: MessageReader
  readonly #writer: FrameWriter
  readonly #pending = new PendingReplies()
  readonly #connectTimer: NodeJS.Timeout
  #downReason: LinkDownReason = 'connect_failed'
  #downDetail: string | null = null
  #lost = false
  /** When the last bytes came, on the clock of `performance.now()`. */
  lastReceivedMs = performance.now()

  constructor(options: LinkConnectionOptions) {
    this.#options = options
    const { host, port, connectTimeoutMs, secureContext } = options
    this.#socket =
      secureContext === null
        ? connect({ host, port, noDelay: true })
        : connectTls({ host, port }, secureContext)
    this.#reader = new MessageReader(options.codec)
    this.#writer = new FrameWriter(this.#socket)
    this.#connectTimer = setTimeout(() => this.drop(this.#downReason), connectTimeoutMs)
    if (secureContext !== null) this.#socket.on('connect', () => (this.#downReason = 'tls_failed'))
    this.#socket.on(secureContext === null ? 'connect' : 'secureConnect', () => {
      clearTimeout(this.#connectTimer)
      this.#downReason = 'peer_closed'
      this.lastReceivedMs = performance.now()
      options.onConnected()
    })
    // No encoding is set, so data arrive as bytes.
    this.#socket.on('data', (chunk) => this.#receive(chunk as Buffer))
    // `close` follows each error.
    this.#socket.on('error', (error) => this.#note(error))
    this.#socket.on('close', () => this.#lose(this.#downReason))
  }

  /** Sends a request and waits for its answer. Throws InvariantError on an identity in use. */
  exchange(request: PreparedRequest, timeoutMs: number): Promise<LinkReply> {
    const reply = this.#pending.wait(request.key, request.answerMti, timeoutMs)
    this.#writer.writeRaw(request.frame)
    return reply
  }

  whenIdle(): Promise<void> {
    return this.#pending.whenEmpty()
  }

  /** Ends the connection now; open messages become `unknown`. */
  drop(reason: LinkDownReason, detail: string | null = null): void {
    this.#socket.destroy()
    this.#downDetail = detail
    this.#lose(reason)
  }

  /** A host's refusal of our certificate arrives only after the connection counts as made. */
  #note(error: Error & { readonly code?: string }): void {
    const { code = error.message } = error
    const isTls = this.#downReason === 'tls_failed' || code.startsWith('ERR_SSL')
    if (isTls) this.#downReason = 'tls_failed'
    this.#downDetail = isTls ? tlsFaultText(error) : code
  }

  #receive(chunk: Buffer): void {
    this.lastReceivedMs = performance.now()
    for (const message of this.#reader.read(chunk)) {
      if (!this.#deliver(message)) this.#options.onUnmatched(message)
      if (this.#lost) return
    }
    if (this.#reader.fault !== null) this.drop('reply_unreadable')
  }

  #deliver(message: IsoMessage): boolean {
    const { fields } = message
    const hasIdentity = [7, 11, 32, 41].every((field) => fields[field] !== undefined)
    return hasIdentity && this.#pending.deliver(pairingKey(message), message)
  }

  #lose(reason: LinkDownReason): void {
    if (this.#lost) return
    this.#lost = true
    clearTimeout(this.#connectTimer)
    this.#pending.loseAll(reason === 'reply_unreadable' ? reason : 'link_lost')
    this.#options.onLost(reason, this.#downDetail)
  }
}
