import type { ProgrammeStanding } from '../../domain/disputes/monitoring.ts'
import { readRatios, type RatioStore, type RatioView } from './compare-ratios.ts'

export interface RatioWatchDeps {
  readonly store: RatioStore
  readonly clock: { now(): Date }
  /** Called once for each warning that an account reaches in a month. */
  readonly onWarning: (month: RatioView, standing: ProgrammeStanding) => void
}

export interface RatioWatch {
  /** Compares the present month of every account with the limits of its programmes. */
  look(): Promise<void>
  /** The highest share of both limits by programme, in percent, at the last look. */
  percents(): ReadonlyMap<string, number>
}

/** Warns before a merchant account reaches the limits of a monitoring programme. */
export function createRatioWatch(deps: RatioWatchDeps): RatioWatch {
  const warned = new Set<string>()
  let highest: ReadonlyMap<string, number> = new Map()
  return {
    async look() {
      const found = new Map<string, number>()
      for (const month of await readRatios(deps.store, null, deps.clock.now(), 1)) {
        for (const standing of month.standings) {
          const { percent, programme, warning } = standing
          found.set(programme.name, Math.max(percent, found.get(programme.name) ?? 0))
          const key = `${month.merchantAccountId} ${month.month} ${programme.name} ${warning}`
          if (warning === null || warned.has(key)) continue
          warned.add(key)
          deps.onWarning(month, standing)
        }
      }
      highest = found
    },
    percents: () => highest,
  }
}
