/** A unit that lives and dies as a whole: the events of a dead one never happen. */
export interface Owner {
  readonly name: string
  alive: boolean
}

interface Event {
  readonly at: number
  readonly order: number
  readonly owner: Owner | null
  /** A look for work that finds none changes nothing, so a run at rest may be full of them. */
  readonly idle: boolean
  readonly run: () => void
}

/** Asked before each event of an owner; true kills the owner first. */
export type CrashRule = (owner: Owner, step: number) => boolean

/**
 * Owns time and sequence. Every wait is a wait for an event here. One event happens at a time, and
 * every promise that it resolves continues before the next event. So the delays alone decide a run.
 */
export class Scheduler {
  /** Milliseconds since the schedule began. */
  now = 0
  /** Events that have happened. */
  steps = 0
  /** Future events, without those that only look for work. */
  pending = 0
  /** Set by every event that resumes a promise. */
  resumed = false
  crashRule: CrashRule = () => false
  onCrash: (owner: Owner) => void = () => undefined
  readonly #heap: Event[] = []
  #order = 0

  /** `owner` null belongs to the world, which never dies. */
  after(delayMs: number, owner: Owner | null, run: () => void, idle = false): void {
    if (!idle) this.pending += 1
    this.#push({ at: this.now + delayMs, order: this.#order++, owner, idle, run })
  }

  /** A pause of an owner's own work. */
  pause(owner: Owner | null, delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(delayMs, owner, () => {
        this.resumed = true
        resolve()
      })
    })
  }

  /** Runs events until `done`, or until none is left or a limit is reached, which returns false. */
  async runUntil(done: () => boolean, limit: { steps: number; now: number }): Promise<boolean> {
    await turn()
    for (;;) {
      if (done()) return true
      const event = this.#pop()
      if (event === undefined || this.steps >= limit.steps || event.at > limit.now) return false
      if (!event.idle) this.pending -= 1
      if (event.at > this.now) this.now = event.at
      const { owner } = event
      if (owner !== null) {
        if (!owner.alive) continue
        if (!event.idle && this.crashRule(owner, this.steps)) {
          owner.alive = false
          this.onCrash(owner)
          if (this.resumed) await this.#drain()
          continue
        }
      }
      this.steps += 1
      event.run()
      if (this.resumed) await this.#drain()
    }
  }

  async #drain(): Promise<void> {
    this.resumed = false
    // The event loop turns only when no promise can continue.
    await turn()
  }

  #push(event: Event): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] as Event
      if (!isBefore(event, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = event
  }

  #pop(): Event | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event))
        child += 1
      if (!isBefore(heap[child] as Event, last)) break
      heap[at] = heap[child] as Event
      at = child
    }
    heap[at] = last
    return first
  }
}

function isBefore(left: Event, right: Event): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order)
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
