import { FairWindow } from './fair-window.ts'
import type { BusyReason, Lane, LaneKind } from './fair-window.ts'
import type { LinkReply } from './link-reply.ts'

/** How the window of a link is used, for operators. */
export interface WindowUse {
  /** Messages that wait for their answers. */
  readonly inFlight: number
  /** Messages that wait for a place. */
  readonly waiting: number
  /** Messages that got no place, since the start. */
  readonly refused: Readonly<Record<BusyReason, number>>
}

export interface LinkWindowOptions {
  /** How many messages may wait for their answers at once. */
  readonly places: number
  /** How long a message may wait for its place. */
  readonly waitMs: number
  /** It must not throw. */
  readonly onRefused?: ((sender: string, reason: BusyReason) => void) | undefined
}

interface Waiting {
  readonly exchange: () => Promise<LinkReply>
  readonly resolve: (reply: Promise<LinkReply> | LinkReply) => void
  readonly reject: (error: unknown) => void
  readonly timer: NodeJS.Timeout
}

/** Lets messages of a link go at once, or in fair turns, or refuses them. */
export class LinkWindow {
  readonly #options: LinkWindowOptions
  readonly #fair: FairWindow<Waiting>
  readonly #refused = { share: 0, window: 0 }

  constructor(options: LinkWindowOptions) {
    this.#options = options
    this.#fair = new FairWindow(options.places, (lane, waiting) => this.#start(lane, waiting))
  }

  get use(): WindowUse {
    const { held, waiting } = this.#fair
    return { inFlight: held, waiting, refused: { ...this.#refused } }
  }

  get isIdle(): boolean {
    return this.#fair.held === 0 && this.#fair.waiting === 0
  }

  /** @param exchange sends the message; it may throw at once, and never rejects. */
  send(kind: LaneKind, sender: string, exchange: () => Promise<LinkReply>): Promise<LinkReply> {
    const lane = this.#fair.lane(kind, sender)
    return this.#fair.take(lane) ? this.#send(lane, exchange) : this.#wait(lane, exchange)
  }

  /** The link is lost: nothing that waits can be sent. */
  refuseWaiting(): void {
    for (const { resolve, timer } of this.#fair.withdrawAll()) {
      clearTimeout(timer)
      resolve({ kind: 'not_sent', reason: 'link_down' })
    }
  }

  #send(lane: Lane<Waiting>, exchange: () => Promise<LinkReply>): Promise<LinkReply> {
    let reply
    try {
      reply = exchange()
    } catch (error) {
      this.#fair.release(lane)
      throw error
    }
    return reply.then((outcome) => {
      this.#fair.release(lane)
      return outcome
    })
  }

  #start(lane: Lane<Waiting>, { exchange, resolve, reject, timer }: Waiting): void {
    clearTimeout(timer)
    try {
      resolve(this.#send(lane, exchange))
    } catch (error) {
      reject(error)
    }
  }

  #wait(lane: Lane<Waiting>, exchange: () => Promise<LinkReply>): Promise<LinkReply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#fair.withdraw(lane, waiting)
        resolve(this.#refuse(lane, this.#fair.whyBusy(lane)))
      }, this.#options.waitMs)
      const waiting = { exchange, resolve, reject, timer }
      const busy = this.#fair.queue(lane, waiting)
      if (busy === null) return
      clearTimeout(timer)
      resolve(this.#refuse(lane, busy))
    })
  }

  #refuse({ sender }: Lane<Waiting>, reason: BusyReason): LinkReply {
    this.#refused[reason] += 1
    this.#options.onRefused?.(sender, reason)
    return { kind: 'not_sent', reason: 'link_busy' }
  }
}
