import type { Foundation } from './gateway-foundation.ts'
import type { Job } from './jobs/worker.ts'
import type { ReceiveResult, ThreeDsServer } from './usecases/three-ds/three-ds-server.ts'

export interface ThreeDsServerParts {
  readonly server: ThreeDsServer
  /** Done once, by whichever process does the jobs: the card ranges are asked for. */
  readonly jobs: readonly Job[]
  /** What every process does for itself. */
  readonly followers: readonly Job[]
  /**
   * Looks for Directory Servers and opens the address that takes the results of challenges; null
   * where no Directory Server is set up yet. To be called once, before payments are served.
   */
  start(receiveResult: ReceiveResult): Promise<{ readonly resultsUrl: string } | null>
  /** Takes no more results, and writes what is left of the journal. */
  stop(): Promise<void>
}

/** The 3DS Server: Directory Servers, their card ranges, and the address that takes results. */
export function wireThreeDsServer(_foundation: Foundation): ThreeDsServerParts {
  return {
    server: {
      isSetUp: () => false,
      findRange: () => null,
      methodUrls: () => [],
      authenticate: () =>
        Promise.resolve({ kind: 'unavailable', cause: '405', detail: 'no Directory Server is set up' }),
      refuse: () => Promise.resolve(),
    },
    jobs: [],
    followers: [],
    start: () => Promise.resolve(null),
    stop: () => Promise.resolve(),
  }
}
