import { createSiteClockStore } from '../adapters/postgres/clocks/site-clock-store.ts'
import type { AccessDeps } from '../http/payment/admit.ts'
import { clockService } from '../http/sandbox/clock-service.ts'
import { programPlugin } from '../http/servers/foreign-pages.ts'
import { createChangeClock, type ChangeClock } from '../usecases/clocks/change-clock.ts'
import type { DueSource } from '../usecases/clocks/due-source.ts'
import { createClockKeeper } from '../usecases/clocks/look-after-clocks.ts'
import { createReadAgenda, type ReadAgenda } from '../usecases/clocks/read-agenda.ts'
import { pause, type Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import { wireTestValues } from './test-values.ts'
import { isUnavailable } from './unavailable.ts'

const LOOK_EVERY_MS = 250
const JOB = 'look after site clocks'

export interface SiteClockParts extends Part {
  /** How clocks are read and changed, by the sandbox's address and by the portal. */
  readonly uses: { readonly changeClock: ChangeClock; readonly readAgenda: ReadAgenda }
}

/** Clocks of test sites: how they are changed, and who does what becomes due by them. */
export function wireSiteClocks(
  { activity, clock, config, database, logger, monotonicMs }: Foundation,
  sources: readonly DueSource[],
  access: AccessDeps,
  wake: (job: string) => void,
): SiteClockParts {
  const store = createSiteClockStore(database.pool)
  const keeper = createClockKeeper({
    store,
    sources,
    clock,
    onRunning: activity.touch,
    onError: (siteId, error) =>
      logger.error(
        { site: siteId.toString(), error: String(error) },
        "a job that is due by a site's clock failed and will run again",
      ),
  })
  const uses = {
    changeClock: createChangeClock({ store, clock, monotonicMs, pause, wake: () => wake(JOB) }),
    readAgenda: createReadAgenda(sources),
  }
  return {
    uses,
    routes: [
      programPlugin(config.publicUrl, clockService, { ...access, ...uses, isUnavailable }),
      ...wireTestValues(config),
    ],
    jobs: [{ name: JOB, everyMs: LOOK_EVERY_MS, run: keeper.look }],
    // Releases the clocks that this process is moving.
    drain: keeper.stop,
  }
}
