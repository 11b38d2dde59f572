import { setImmediate } from 'node:timers/promises'
import { fc } from '../../test/support/properties.ts'
import type { Failure, Run } from './target.ts'

const INPUTS_A_ROUND = 100

/** Checks a fast-check property in rounds until time is up; its counterexample is the smallest. */
export async function tryProperty<Values>(
  run: Run,
  property: fc.IProperty<Values>,
): Promise<Failure | null> {
  while (run.goesOn()) {
    const seed = run.chance.between(-0x80000000, 0x7fffffff)
    const details = fc.check(property, { seed, numRuns: INPUTS_A_ROUND })
    for (let count = 0; count < details.numRuns; count += 1) run.count()
    if (details.failed) {
      const cause = details.errorInstance
      return {
        what: cause instanceof Error ? cause.message : String(cause),
        input: fc.stringify(details.counterexample),
      }
    }
    await setImmediate()
  }
  return null
}
