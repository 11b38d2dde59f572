/** No request waits longer: a client that gets 503 can try another gateway. */
const WAIT_AT_MOST_MS = 5_000

export interface FairTurnsOptions {
  /** Requests in work at once. */
  readonly places: number
  /** Requests that wait for a place, of all senders. */
  readonly waiting: number
  readonly waitAtMostMs?: number
}

export interface TurnCounts {
  readonly inWork: number
  readonly waiting: number
  /** Since the start. */
  readonly refused: number
}

/** Requests take turns, so that the flood of one sender leaves room for every other one. */
export interface FairTurns<Sender> {
  /**
   * Begins a request: null at once if there is a place, else a promise of one. The promise rejects
   * with `NoTurnError` if there are too many waiting requests. Every request that began must `end`.
   */
  begin(sender: Sender): Promise<void> | null
  end(): void
  /** Whether all places for waiting requests are taken. */
  isCrowded(): boolean
  /** Whether the next request of the sender would be refused. */
  isFull(sender: Sender): boolean
  /** Runs work that waits for another system; its place goes to another request meanwhile. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>
  counts(): TurnCounts
}

/** Too many requests wait. The request did nothing, and can be sent again. */
export class NoTurnError extends Error {
  constructor() {
    super('this gateway has more requests than it can answer; the request was not accepted')
    this.name = 'NoTurnError'
  }
}

interface Waiting {
  readonly start: () => void
  readonly refuse: () => void
}

/**
 * Waiting requests get their turns by sender, one after the other. When all places for waiting ones
 * are taken, the sender with the most gives up its newest one for a sender with fewer.
 */
export function createFairTurns<Sender>(options: FairTurnsOptions): FairTurns<Sender> {
  const { places, waiting: mostWaiting, waitAtMostMs = WAIT_AT_MOST_MS } = options
  // The first sender has the next turn. A sender without a waiting request is not in the map.
  const queues = new Map<Sender, Set<Waiting>>()
  let inWork = 0
  let lent = 0
  let waiting = 0
  let refused = 0

  function remove(sender: Sender, queue: Set<Waiting>, entry: Waiting): void {
    queue.delete(entry)
    waiting -= 1
    if (queue.size === 0) queues.delete(sender)
  }

  function startWaiting(): void {
    while (waiting > 0 && inWork - lent < places) {
      const [next] = queues
      if (next === undefined) return
      const [sender, queue] = next
      const [entry] = queue
      if (entry === undefined) return
      // To the end, behind all others.
      queues.delete(sender)
      queues.set(sender, queue)
      remove(sender, queue, entry)
      inWork += 1
      entry.start()
    }
  }

  function largest(): readonly [Sender, Set<Waiting>] | null {
    let found: readonly [Sender, Set<Waiting>] | null = null
    for (const each of queues) if (found === null || each[1].size > found[1].size) found = each
    return found
  }

  /** Whether a sender with so many waiting requests finds no place for another one. */
  function isOver(own: number): boolean {
    if (waiting < mostWaiting) return false
    const most = largest()
    return most === null || own + 1 >= most[1].size
  }

  function makeRoom(): void {
    const most = largest()
    if (most === null || waiting < mostWaiting) return
    const newest = [...most[1]].at(-1)
    newest?.refuse()
  }

  function wait(sender: Sender): Promise<void> {
    const queue = queues.get(sender) ?? new Set<Waiting>()
    if (isOver(queue.size)) {
      refused += 1
      return Promise.reject(new NoTurnError())
    }
    makeRoom()
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        start() {
          clearTimeout(timer)
          resolve()
        },
        refuse() {
          clearTimeout(timer)
          remove(sender, queue, entry)
          refused += 1
          reject(new NoTurnError())
        },
      }
      const timer = setTimeout(entry.refuse, waitAtMostMs)
      queue.add(entry)
      queues.set(sender, queue)
      waiting += 1
    })
  }

  return {
    begin(sender) {
      if (waiting > 0 || inWork - lent >= places) return wait(sender)
      inWork += 1
      return null
    },
    end() {
      inWork -= 1
      startWaiting()
    },
    isCrowded: () => waiting >= mostWaiting,
    isFull: (sender) => isOver(queues.get(sender)?.size ?? 0),
    async lend(work) {
      lent += 1
      startWaiting()
      try {
        return await work()
      } finally {
        lent -= 1
      }
    },
    counts: () => ({ inWork, waiting, refused }),
  }
}
