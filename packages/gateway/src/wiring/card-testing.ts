import { createCardTestingStore } from '../adapters/postgres/card-testing/card-testing-store.ts'
import {
  createCardTestingDefence,
  type CardTestingDefence,
} from '../usecases/card-testing/card-testing-defence.ts'
import { createCardTestingReport } from '../usecases/card-testing/card-testing-report.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'

export interface CardTesting extends Part {
  readonly defence: CardTestingDefence
}

/** Counters whose window is over are of no use, and do no harm. */
const PURGE_EVERY_MS = 60_000

/** The defence of sites that have switched it on. */
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
    tell: (siteId, refused, payments, rules) =>
      logger.warn(
        { site: siteId.toString(), mode: refused ? 'enforce' : 'watch', payments, rules },
        refused ? 'card testing: payments are refused' : 'card testing: payments would be refused',
      ),
  })
  const defence = createCardTestingDefence({
    store: counters,
    digest,
    onHit: (siteId, refused, rules) => {
      metrics.countCardTestingHit(siteId, refused)
      report(siteId, refused, rules)
    },
  })
  return {
    defence,
    jobs: [{ name: 'purge card testing', everyMs: PURGE_EVERY_MS, run: counters.purge }],
    stop: counters.idle,
  }
}
