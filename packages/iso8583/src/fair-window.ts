/** Requests and advices have lanes of their own: neither can fill the window for the other. */
export type LaneKind = 'request' | 'advice'

/** Why a message found no place: its sender holds its share, or no place is free. */
export type BusyReason = 'share' | 'window'

/** One sender's messages of one kind. */
export interface Lane<Waiting> {
  readonly sender: string
  readonly kind: LaneKind
  /** Places in use. */
  held: number
  /** In the sequence in which they came. */
  readonly waiting: Waiting[]
}

/** This part of the window is closed to requests, and as much of it to advices. */
const RESERVED_PART = 8

/**
 * The places of a window, and the queue for them. A sender may take a place while it holds fewer
 * places than are free. So one sender alone leaves room for another, and several leave as much as
 * each of them holds, without a count of senders. The queue is shared by the same rule, and served
 * by turns. Pure: it knows neither time nor network.
 */
export class FairWindow<Waiting> {
  readonly #places: number
  readonly #mostOfAKind: number
  readonly #start: (lane: Lane<Waiting>, waiting: Waiting) => void
  readonly #lanes = {
    request: new Map<string, Lane<Waiting>>(),
    advice: new Map<string, Lane<Waiting>>(),
  }
  readonly #held = { request: 0, advice: 0 }
  /** The lanes with waiting messages; the first has the next turn. */
  readonly #turns: Lane<Waiting>[] = []
  #waiting = 0

  /** @param start gets each waiting message together with its place. */
  constructor(places: number, start: (lane: Lane<Waiting>, waiting: Waiting) => void) {
    this.#places = places
    this.#mostOfAKind = places - Math.floor(places / RESERVED_PART)
    this.#start = start
  }

  get held(): number {
    return this.#held.request + this.#held.advice
  }

  get waiting(): number {
    return this.#waiting
  }

  /** The places that a sender of this kind could still take, if it held none. */
  free(kind: LaneKind): number {
    return Math.min(this.#places - this.held, this.#mostOfAKind - this.#held[kind])
  }

  lane(kind: LaneKind, sender: string): Lane<Waiting> {
    const lanes = this.#lanes[kind]
    let lane = lanes.get(sender)
    if (lane === undefined) {
      lane = { sender, kind, held: 0, waiting: [] }
      lanes.set(sender, lane)
    }
    return lane
  }

  /** Takes a place at once. A sender with waiting messages gets none: they would have it. */
  take(lane: Lane<Waiting>): boolean {
    if (!this.#mayTake(lane)) return false
    this.#hold(lane)
    return true
  }

  /** Queues a message; the reason if there is no room for it in the queue. */
  queue(lane: Lane<Waiting>, waiting: Waiting): BusyReason | null {
    // As many messages may wait as may be under way.
    if (lane.waiting.length >= this.#places - this.#waiting) {
      this.#forget(lane)
      return this.whyBusy(lane)
    }
    if (lane.waiting.length === 0) this.#turns.push(lane)
    lane.waiting.push(waiting)
    this.#waiting += 1
    return null
  }

  whyBusy({ kind }: Lane<Waiting>): BusyReason {
    return this.free(kind) > 0 ? 'share' : 'window'
  }

  /** Frees a place, and starts the waiting messages that may go now. */
  release(lane: Lane<Waiting>): void {
    lane.held -= 1
    this.#held[lane.kind] -= 1
    this.#forget(lane)
    if (this.#waiting > 0) this.#serve()
  }

  /** Takes a message out of the queue, if it waits there. */
  withdraw(lane: Lane<Waiting>, waiting: Waiting): void {
    const at = lane.waiting.indexOf(waiting)
    if (at === -1) return
    lane.waiting.splice(at, 1)
    this.#waiting -= 1
    if (lane.waiting.length === 0) this.#turns.splice(this.#turns.indexOf(lane), 1)
    this.#forget(lane)
  }

  /** Empties the queue: everything that waited in it. */
  withdrawAll(): Waiting[] {
    const lanes = this.#turns.splice(0)
    this.#waiting = 0
    return lanes.flatMap((lane) => {
      const waiting = lane.waiting.splice(0)
      this.#forget(lane)
      return waiting
    })
  }

  #mayTake({ kind, held }: Lane<Waiting>): boolean {
    return held < this.free(kind)
  }

  #hold(lane: Lane<Waiting>): void {
    lane.held += 1
    this.#held[lane.kind] += 1
  }

  /** No lane that was passed over can become able to take a place: others only take more. */
  #serve(): void {
    let at = 0
    for (let lane = this.#turns[at]; lane !== undefined; lane = this.#turns[at]) {
      const next = this.#mayTake(lane) ? lane.waiting.shift() : undefined
      if (next === undefined) {
        at += 1
        continue
      }
      this.#turns.splice(at, 1)
      if (lane.waiting.length > 0) this.#turns.push(lane)
      this.#waiting -= 1
      this.#hold(lane)
      this.#start(lane, next)
    }
  }

  #forget(lane: Lane<Waiting>): void {
    if (lane.held === 0 && lane.waiting.length === 0) this.#lanes[lane.kind].delete(lane.sender)
  }
}
