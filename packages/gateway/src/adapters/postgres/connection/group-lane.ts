import { NothingWrittenError } from '../../../usecases/payments/learn-truth.ts'
import { isDatabaseAway } from './database.ts'

/**
 * Group commit. Requests that arrive while a group is being written form the next one, and each
 * group is one statement and one commit. A request that finds the lane idle is written at once.
 */
export interface GroupLane<Row, Outcome> {
  submit(row: Row): Promise<Outcome>
  /** Rows that wait behind those that are being written. */
  waiting(): number
  /** Resolves when nothing is waiting or being written. */
  idle(): Promise<void>
}

interface Waiting<Row, Outcome> {
  readonly row: Row
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

export interface GroupLaneOptions<Row, Outcome> {
  /** Writes the rows and returns an outcome for each, in the same order. All or nothing. */
  readonly write: (rows: readonly Row[]) => Promise<readonly Outcome[]>
  readonly groupSize: number
  /** More than this many waiting rows are refused: the database does not keep up. */
  readonly limit: number
  /**
   * Waits this long for more rows before each group, if no caller waits for the rows; 0 by default.
   */
  readonly gatherMs?: number
  /** Rows with the same key never share a group; null never conflicts. */
  readonly keyOf?: (row: Row) => unknown
}

/** The lane is full: nothing was written. */
export class LaneFullError extends Error {
  constructor(limit: number) {
    super(`${limit} writes are waiting for the database already; this one was not accepted`)
    this.name = 'LaneFullError'
  }
}

export function createGroupLane<Row, Outcome>(
  options: GroupLaneOptions<Row, Outcome>,
): GroupLane<Row, Outcome> {
  const { gatherMs = 0 } = options
  let waiting: Waiting<Row, Outcome>[] = []
  let writing = false
  let onIdle: (() => void)[] = []

  function nextGroup(): Waiting<Row, Outcome>[] {
    const { keyOf, groupSize } = options
    if (keyOf === undefined) return waiting.splice(0, groupSize)
    const seen = new Set<unknown>()
    const group: Waiting<Row, Outcome>[] = []
    const rest: Waiting<Row, Outcome>[] = []
    for (const entry of waiting) {
      const key = keyOf(entry.row)
      if (group.length < groupSize && (key === null || !seen.has(key))) {
        seen.add(key)
        group.push(entry)
      } else rest.push(entry)
    }
    waiting = rest
    return group
  }

  async function writeGroup(group: readonly Waiting<Row, Outcome>[]): Promise<void> {
    let outcomes: readonly Outcome[]
    try {
      outcomes = await options.write(group.map((entry) => entry.row))
    } catch (error) {
      // One bad row must not fail its neighbours, so they are written one by one. With the database
      // away that would only repeat the failure, and a commit whose answer was lost may have
      // happened. The submitter of a row knows how to find out.
      if (error instanceof NothingWrittenError) refuseWaiting(error)
      if (group.length === 1 || isDatabaseAway(error))
        for (const entry of group) entry.reject(error)
      else for (const entry of group) await writeGroup([entry])
      return
    }
    group.forEach((entry, at) => entry.resolve(outcomes[at] as Outcome))
  }

  /** No connection was to be had: who still waits would only wait for the same. */
  function refuseWaiting(error: NothingWrittenError): void {
    const refused = waiting
    waiting = []
    for (const entry of refused) entry.reject(error)
  }

  async function run(): Promise<void> {
    writing = true
    while (waiting.length > 0) {
      await writeGroup(nextGroup())
      await gathered(gatherMs)
    }
    writing = false
    const listeners = onIdle
    onIdle = []
    for (const listener of listeners) listener()
  }

  return {
    submit(row) {
      if (waiting.length >= options.limit) return Promise.reject(new LaneFullError(options.limit))
      return new Promise((resolve, reject) => {
        waiting.push({ row, resolve, reject })
        if (!writing) {
          writing = true
          void gathered(gatherMs).then(run)
        }
      })
    },
    waiting: () => waiting.length,
    idle() {
      if (!writing) return Promise.resolve()
      return new Promise((resolve) => onIdle.push(resolve))
    },
  }
}

/**
 * At least until the event loop has read its pending input. Requests that have arrived together
 * share a group, and a single one does not wait.
 */
function gathered(gatherMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (gatherMs === 0) setImmediate(resolve)
    else setTimeout(resolve, gatherMs)
  })
}
