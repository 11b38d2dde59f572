import pg from 'pg'

const LOCK = 'select closed_at, closed_by from batches where id = $1 for update'

/**
 * Measures how long this process holds the lock of a batch that it closes. The time runs from the
 * answer to the lock to the answer to the commit. `end` gives the longest, in milliseconds.
 */
export function watchBatchLock(): { end(): number } {
  const { query } = pg.Client.prototype
  const lockedAt = new WeakMap<pg.Client, number>()
  let longestMs = 0
  const watched = function (this: pg.Client, ...parameters: readonly unknown[]): unknown {
    const answer: unknown = Reflect.apply(query, this, parameters)
    const [statement] = parameters
    if (statement !== LOCK && statement !== 'commit') return answer
    const note = (): void => {
      if (statement === LOCK) lockedAt.set(this, performance.now())
      const since = lockedAt.get(this)
      if (statement === LOCK || since === undefined) return
      lockedAt.delete(this)
      longestMs = Math.max(longestMs, performance.now() - since)
    }
    if (answer instanceof Promise) void answer.then(note, () => undefined)
    return answer
  }
  pg.Client.prototype.query = watched as typeof query
  return {
    end() {
      pg.Client.prototype.query = query
      if (longestMs === 0) throw new Error(`No batch was locked by "${LOCK}".`)
      return longestMs
    },
  }
}
