import type { SecureContext } from 'node:tls'
import type { IsoMessage } from './codec.ts'
import { invariant } from './invariant.ts'
import { Iso8583Error } from './iso8583-error.ts'
import { LinkConnection, prepareRequest } from './link-connection.ts'
import type { LinkDownReason, PreparedRequest } from './link-connection.ts'
import { describeLinkFault, describeRefusal } from './link-fault.ts'
import { NETWORK_CODES, createManagementNumbers, managementMessage } from './link-management.ts'
import type { MessageNumber } from './link-management.ts'
import type {
  LinkAddress,
  LinkClientOptions,
  LinkState,
  LinkStatus,
  LinkTiming,
} from './link-options.ts'
import type { LinkReply } from './link-reply.ts'
import { clientContext } from './link-tls.ts'
import { LinkWindow } from './link-window.ts'
import { isAdvice } from './mti.ts'
import { reconnectDelayMs } from './reconnect-delay.ts'
import { withSignOnProof } from './sign-on-proof.ts'

/** The gateway's end of a link: connects, signs on, keeps the connection alive, pairs answers. */
export interface LinkClient {
  /** Connects, and connects again whenever the link is lost, until it is stopped. */
  start(): void
  /**
   * Sends a message, at once or when it is its sender's turn for a place in the window. The time
   * for the answer begins when it is sent. Throws InvariantError when a message of the same
   * identity is open, and rejects with it after a wait. That is an error of the caller, who numbers
   * the messages.
   *
   * @param sender whose message it is: places are shared among senders.
   */
  send(message: IsoMessage, timeoutMs: number, sender?: string): Promise<LinkReply>
  state(): LinkState
  status(): LinkStatus
  /** Resolves once the link is up; rejects when it is stopped before. */
  whenUp(): Promise<void>
  /** Rejects further messages, waits for the open ones up to a limit, then closes. */
  stop(): Promise<void>
}

const DEFAULT_WINDOW = 512
const ECHOES_MISSED_BEFORE_RECONNECT = 3
const DEFAULT_TIMING: LinkTiming = {
  connectTimeoutMs: 5_000,
  signOnTimeoutMs: 10_000,
  echoIdleMs: 60_000,
  echoTimeoutMs: 10_000,
  reconnectMinMs: 50,
  reconnectMaxMs: 5_000,
  placeTimeoutMs: 2_000,
  stopTimeoutMs: 5_000,
}

/** Throws OpenSSL's error when a text of `tls` is no PEM, or its key not of its certificate. */
export function createLinkClient(options: LinkClientOptions): LinkClient {
  return new TcpLinkClient(options)
}

class TcpLinkClient implements LinkClient {
  readonly #options: LinkClientOptions
  readonly #timing: LinkTiming
  readonly #window: LinkWindow
  readonly #random: () => number
  readonly #nextStan: () => MessageNumber
  readonly #secureContext: SecureContext | null
  readonly #addresses: readonly [LinkAddress, ...LinkAddress[]]
  #attempts = 0
  #signedOnSince: Date | null = null
  #lastError: string | null = null
  #state: LinkState = 'down'
  #phase: 'new' | 'running' | 'stopping' | 'stopped' = 'new'
  #connection: LinkConnection | null = null
  #stopped: Promise<void> | null = null
  #failures = 0
  #reconnectTimer: NodeJS.Timeout | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #upWaiters: { resolve: () => void; reject: (error: Error) => void }[] = []

  constructor(options: LinkClientOptions) {
    const isInstitution = /^[0-9]{1,11}$/.test(options.acquirerId)
    invariant(isInstitution, 'the acquirer id of a link is not 1 to 11 digits')
    this.#options = options
    this.#timing = { ...DEFAULT_TIMING, ...options.timing }
    this.#secureContext = options.tls === undefined ? null : clientContext(options.tls)
    const { host, port, standby } = options
    this.#addresses = standby === undefined ? [{ host, port }] : [{ host, port }, standby]
    this.#window = new LinkWindow({
      places: options.window ?? DEFAULT_WINDOW,
      waitMs: this.#timing.placeTimeoutMs,
      onRefused: options.onRefused,
    })
    this.#random = options.random ?? Math.random
    this.#nextStan = options.nextStan ?? createManagementNumbers(this.#random)
  }

  start(): void {
    invariant(this.#phase === 'new', 'a link client was started twice, or after it was stopped')
    this.#phase = 'running'
    this.#connect()
  }

  state(): LinkState {
    return this.#state
  }

  status(): LinkStatus {
    return {
      state: this.#state,
      address: this.#address,
      signedOnSince: this.#signedOnSince,
      lastError: this.#lastError,
      ...this.#window.use,
    }
  }

  send(message: IsoMessage, timeoutMs: number, sender = ''): Promise<LinkReply> {
    const connection = this.#connection
    if (this.#state !== 'up' || this.#phase !== 'running' || connection === null) {
      return Promise.resolve({ kind: 'not_sent', reason: 'link_down' })
    }
    let request: PreparedRequest
    try {
      request = prepareRequest(this.#options.codec, message)
    } catch (error) {
      if (!(error instanceof Iso8583Error)) throw error
      return Promise.resolve({ kind: 'not_sent', reason: 'message_invalid', error })
    }
    const kind = isAdvice(message.mti) ? 'advice' : 'request'
    return this.#window.send(kind, sender, () => connection.exchange(request, timeoutMs))
  }

  whenUp(): Promise<void> {
    if (this.#state === 'up') return Promise.resolve()
    if (this.#isEnding) return Promise.reject(stoppedError())
    return new Promise((resolve, reject) => this.#upWaiters.push({ resolve, reject }))
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end()
    return this.#stopped
  }

  async #end(): Promise<void> {
    this.#phase = 'stopping'
    clearTimeout(this.#reconnectTimer)
    clearTimeout(this.#idleTimer)
    for (const { reject } of this.#upWaiters.splice(0)) reject(stoppedError())
    if (this.#connection !== null && this.#state === 'up') {
      await withinLimit(this.#whenIdle(this.#connection), this.#timing.stopTimeoutMs)
    }
    this.#connection?.drop('stopped')
    this.#phase = 'stopped'
  }

  /** Each answer may let a waiting message go. */
  async #whenIdle(connection: LinkConnection): Promise<void> {
    do await connection.whenIdle()
    while (!this.#window.isIdle)
  }

  get #isEnding(): boolean {
    return this.#phase === 'stopping' || this.#phase === 'stopped'
  }

  get #address(): LinkAddress {
    return this.#addresses[this.#attempts % this.#addresses.length] ?? this.#addresses[0]
  }

  #connect(): void {
    const { codec, onUnmatched } = this.#options
    const { host, port } = this.#address
    const connection = new LinkConnection({
      host,
      port,
      codec,
      connectTimeoutMs: this.#timing.connectTimeoutMs,
      secureContext: this.#secureContext,
      onConnected: () => void this.#signOn(connection),
      onLost: (reason, detail) => this.#onLost(reason, detail),
      onUnmatched,
    })
    this.#connection = connection
  }

  async #signOn(connection: LinkConnection): Promise<void> {
    this.#enter('signing_on', null)
    const reply = await this.#ask(connection, NETWORK_CODES.signOn, this.#timing.signOnTimeoutMs)
    if (connection !== this.#connection || this.#isEnding) return
    if (reply.kind !== 'reply' || reply.message.fields[39] !== '00') {
      connection.drop('sign_on_failed', describeRefusal(reply))
      return
    }
    this.#failures = 0
    this.#signedOnSince = this.#now()
    this.#enter('up', null)
    for (const { resolve } of this.#upWaiters.splice(0)) resolve()
    this.#watch(connection, 0)
  }

  /** Wakes when the connection has been idle long enough, however much came in between. */
  #watch(connection: LinkConnection, missed: number): void {
    const { echoIdleMs } = this.#timing
    const idleMs = performance.now() - connection.lastReceivedMs
    if (idleMs >= echoIdleMs) {
      void this.#echo(connection, missed)
      return
    }
    // A timer may fire a little early by this clock; it then waits once more for the rest.
    this.#idleTimer = setTimeout(() => this.#watch(connection, 0), Math.ceil(echoIdleMs - idleMs))
  }

  async #echo(connection: LinkConnection, missed: number): Promise<void> {
    const reply = await this.#ask(connection, NETWORK_CODES.echo, this.#timing.echoTimeoutMs)
    if (connection !== this.#connection || this.#isEnding) return
    if (reply.kind === 'reply') {
      // A peer that has forgotten our sign-on answers, but with another code.
      if (reply.message.fields[39] === '00') this.#watch(connection, 0)
      else connection.drop('sign_on_failed', describeRefusal(reply))
    } else if (missed + 1 >= ECHOES_MISSED_BEFORE_RECONNECT) {
      connection.drop('echo_missed')
    } else {
      this.#watch(connection, missed + 1)
    }
  }

  #ask(connection: LinkConnection, networkCode: string, timeoutMs: number): Promise<LinkReply> {
    const { codec, acquirerId, signOnSecret } = this.#options
    const plain = managementMessage(networkCode, acquirerId, this.#nextStan(), this.#now())
    const message = withSignOnProof(plain, signOnSecret?.() ?? null)
    return connection.exchange(prepareRequest(codec, message), timeoutMs)
  }

  #now(): Date {
    const { now } = this.#options
    return now === undefined ? new Date() : now()
  }

  #onLost(reason: LinkDownReason, detail: string | null): void {
    this.#connection = null
    this.#signedOnSince = null
    this.#lastError = describeLinkFault(reason, detail, this.#state === 'signing_on')
    clearTimeout(this.#idleTimer)
    this.#window.refuseWaiting()
    this.#enter('down', reason)
    if (this.#phase !== 'running') return
    const { reconnectMinMs: shortestMs, reconnectMaxMs: longestMs } = this.#timing
    const delayMs = reconnectDelayMs(this.#failures, { shortestMs, longestMs }, this.#random)
    this.#failures += 1
    this.#reconnectTimer = setTimeout(() => {
      this.#attempts += 1
      this.#connect()
    }, delayMs)
  }

  #enter(state: LinkState, reason: LinkDownReason | null): void {
    this.#state = state
    this.#options.onStateChange?.(state, reason)
  }
}

/** Resolves with the promise or after the limit, whichever comes first. */
async function withinLimit(promise: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([promise, limit])
  clearTimeout(timer)
}

function stoppedError(): Error {
  return new Error('The link was stopped before it came up; start another one to connect.')
}
