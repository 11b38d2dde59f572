import { differenceOf, publishedValues, type PublishedTrial } from '../test-values.ts'
import type { Sweep } from './sweep.ts'

/** The trials that need a clock, a browser, or the link for themselves have tests of their own. */
const RUN_HERE = new Set(['at_once', 'timeout', 'daily'])
const AT_ONCE = 40
const FEWEST = 400

interface NamedTrial extends PublishedTrial {
  readonly kind: string
  readonly name: string
}

/** Sends the payments that `/sandbox/values` publishes, and returns the answers that differ. */
export async function trialDifferences(sweep: Sweep): Promise<string[]> {
  const { runs, values } = await publishedValues(sweep.gateway)
  const trials = values.flatMap(({ kind, trials: own, value }) =>
    own.map((trial): NamedTrial => ({ ...trial, kind, name: `${kind} ${value} ${trial.when}` })),
  )
  const wrong = trials.flatMap(({ name, runs: when }) =>
    when in runs ? [] : [`${name}: ${when} is not among the kinds of runs`],
  )
  const sent = trials.filter((trial) => trial.parameters !== undefined && RUN_HERE.has(trial.runs))
  if (sent.length < FEWEST) wrong.push(`${sent.length} payments, and not ${FEWEST} or more`)
  for (let from = 0; from < sent.length; from += AT_ONCE) {
    const group = sent.slice(from, from + AT_ONCE)
    await Promise.all(
      group.map(async (trial) => {
        const difference = await differenceOf(sweep.gateway, trial, sweep.hear)
        if (difference !== '') wrong.push(`${trial.name}: ${difference}`)
        else if (trial.kind === 'fault') sweep.see('faultAmounts', trial.when)
      }),
    )
  }
  return wrong
}
