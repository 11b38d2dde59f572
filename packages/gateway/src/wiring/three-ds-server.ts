import { join } from 'node:path'
import { createCardRangeStore } from '../adapters/postgres/three-ds/card-range-store.ts'
import { createThreeDsJournal } from '../adapters/postgres/three-ds/three-ds-journal.ts'
import { createThreeDsServer } from '../adapters/three-ds-server/three-ds-server.ts'
import type { Job } from '../jobs/worker.ts'
import type { ReceiveResult, ThreeDsServer } from '../usecases/three-ds/three-ds-server.ts'
import type { Foundation } from './foundation.ts'

export interface ThreeDsServerParts {
  readonly server: ThreeDsServer
  /** Done once, by whichever process does the jobs: the card ranges are asked for. */
  readonly jobs: readonly Job[]
  /** The jobs that every process runs for itself. */
  readonly followers: readonly Job[]
  /**
   * Looks for Directory Servers and opens the address that takes the results of challenges; null
   * where no Directory Server is set up yet. To be called once, before payments are served.
   */
  start(receiveResult: ReceiveResult): Promise<{ readonly resultsUrl: string } | null>
  /** Takes no more results, and writes what is left of the journal. */
  stop(): Promise<void>
}

/** The default distance of the port for results from the bank's port. */
const RESULTS_PORT_DISTANCE = 5
const HIGHEST_PORT = 65_535
const LOOK_EVERY_MS = 2_000
const REFRESH_EVERY_MS = 5_000

/** The folder of the bundled bank's simulator; null where it is off. */
export function simulatorFolder({ dataDir, threeDs }: Foundation['config']): string | null {
  return threeDs.simulator ? join(dataDir, 'bank', 'three-ds') : null
}

/** The 3DS Server: Directory Servers, their card ranges, and the address that takes results. */
export function wireThreeDsServer(foundation: Foundation): ThreeDsServerParts {
  const { clock, config, database, logger, metrics, monotonicMs } = foundation
  const { threeDs } = config
  const next = config.bank.port === 0 ? 0 : config.bank.port + RESULTS_PORT_DISTANCE
  const journal = createThreeDsJournal(database, (error) => {
    metrics.countLostThreeDsMessage()
    logger.error({ error: String(error) }, 'a 3-D Secure message could not be stored')
  })
  const server = createThreeDsServer({
    clock,
    monotonicMs,
    journal,
    ranges: createCardRangeStore(database.pool),
    liveDirectories: threeDs.liveDirectories,
    liveResults: threeDs.liveResults,
    simulatorFolder: simulatorFolder(config),
    readMs: threeDs.timeoutMs,
    notificationUrl: `${config.publicUrl}/V2/Cruise/Term`,
    results: {
      host: threeDs.resultsHost,
      port: threeDs.resultsPort ?? (next > HIGHEST_PORT ? 0 : next),
      mayMove: threeDs.resultsPort === null,
      url: threeDs.resultsUrl,
    },
    metrics: metrics.threeDs,
    log: (level, what, facts) => logger[level](facts, what),
  })
  return {
    server,
    jobs: [
      {
        name: 'refresh card ranges',
        everyMs: REFRESH_EVERY_MS,
        run: () => server.refreshRanges().then(() => false),
      },
    ],
    followers: [
      { name: '3-D Secure', everyMs: LOOK_EVERY_MS, run: () => server.follow().then(() => false) },
    ],
    start: (receiveResult) => server.start(receiveResult),
    async stop() {
      await server.stop()
      await journal.idle()
    },
  }
}
