/** Less than the ten seconds of Prometheus, and than the five of a supervisor. */
const LIMIT_MS = 2_000

/**
 * The same read of the database for a metric, which rejects after two seconds. A metric that waits
 * for a connection would keep all others from an operator, just while the database is overloaded.
 */
export function inTime<Value>(read: () => Promise<Value>): () => Promise<Value> {
  return async () => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late.reject(new Error(`The database did not answer a metric within ${LIMIT_MS} ms.`))
    }, LIMIT_MS)
    try {
      return await Promise.race([read(), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
