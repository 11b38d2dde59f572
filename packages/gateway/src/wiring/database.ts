import type { Foundation } from './foundation.ts'
import { follow, type Part } from './part.ts'

/** How long a process may go on with an old primary after another server was promoted. */
const CHECK_SERVERS_MS = 5_000

/** The connections of this process, and the watch over the servers that they lead to. */
export function wireDatabase({ database }: Foundation): Part {
  return {
    followers: [follow('database servers', CHECK_SERVERS_MS, database.checkServers)],
    stop: () => database.close(),
  }
}
