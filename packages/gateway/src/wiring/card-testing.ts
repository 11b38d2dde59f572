import { createCardTestingStore } from '../adapters/postgres/card-testing/card-testing-store.ts'
import { createCardTestingReport } from '../usecases/card-testing/card-testing-report.ts'
import { createVelocityRules, type VelocityRules } from '../usecases/card-testing/velocity-rules.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'

export interface CardTesting extends Part {
  readonly velocityRules: VelocityRules
}

/** Counters whose window is over are of no use, and do no harm. */
const PURGE_EVERY_MS = 60_000

/** The velocity rules of sites that have switched them on. */
export function wireCardTesting(
  { logger, database, metrics, monotonicMs }: Foundation,
  digest: (text: string) => string,
): CardTesting {
  const counters = createCardTestingStore(database, (error) =>
    logger.warn(
      { error: String(error) },
      'a decline or a hit of the velocity rules was not counted',
    ),
  )
  const report = createCardTestingReport({
    monotonicMs,
    report: (siteId, refused, payments, rules) =>
      logger.warn(
        { site: siteId.toString(), mode: refused ? 'enforce' : 'watch', payments, rules },
        refused ? 'card testing: payments are refused' : 'card testing: payments would be refused',
      ),
  })
  const velocityRules = createVelocityRules({
    store: counters,
    digest,
    onHit: (siteId, refused, rules) => {
      metrics.countCardTestingHit(siteId, refused)
      report(siteId, refused, rules)
    },
  })
  return {
    velocityRules,
    jobs: [{ name: 'purge card testing', everyMs: PURGE_EVERY_MS, run: counters.purge }],
    stop: counters.idle,
  }
}
