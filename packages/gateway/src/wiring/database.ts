import { analyzeFilledTables } from '../adapters/postgres/connection/filled-tables.ts'
import { LONG_IDLE_EVERY_MS } from '../jobs/worker.ts'
import type { Foundation } from './foundation.ts'
import { follow, type Part } from './part.ts'

/** How long a process may go on with an old primary after another server was promoted. */
const CHECK_SERVERS_MS = 5_000

/** How much of what is not assigned in blocks, such as batches, may be missing in the id marks. */
const NOTE_IDS_MS = 10_000

/** A table with bad plans slows every group, the more the longer. */
const ANALYZE_FILLED_MS = 1_000

/** The connections of this process, and the watch over the servers that they lead to. */
export function wireDatabase({ activityChannel, database, metrics, noteIds }: Foundation): Part {
  metrics.watchPools(database.countConnections)
  return {
    followers: [
      follow('database servers', CHECK_SERVERS_MS, database.checkServers),
      follow('id marks', NOTE_IDS_MS, noteIds),
    ],
    jobs: [
      {
        name: 'analyze filled tables',
        everyMs: ANALYZE_FILLED_MS,
        idleEveryMs: LONG_IDLE_EVERY_MS,
        run: () => analyzeFilledTables(database.pool).then(() => false),
      },
    ],
    start() {
      activityChannel.start()
      return Promise.resolve()
    },
    // A stop does not fail for a database that is away.
    async drain() {
      await Promise.all([activityChannel.stop(), noteIds().catch(() => undefined)])
    },
    stop: () => database.close(),
  }
}
