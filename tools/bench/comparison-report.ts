import { meanCost, meanOf, type ComparedLevel } from './compare.ts'
import type { RequestCost } from './processor-time.ts'
import { table } from './report.ts'

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const tenth = (value: number): string => value.toFixed(1)

function rates(commit: string, levels: readonly ComparedLevel[]): string {
  return table<ComparedLevel>(
    [
      ['connections', ({ connections }) => String(connections)],
      ['auth/s here', ({ here }) => whole(meanOf(here, 'perSecond'))],
      [`auth/s ${commit}`, ({ baseline }) => whole(meanOf(baseline, 'perSecond'))],
      [
        'ratio',
        ({ here, baseline }) =>
          (meanOf(here, 'perSecond') / meanOf(baseline, 'perSecond')).toFixed(2),
      ],
      ['p50 ms here', ({ here }) => tenth(meanOf(here, 'p50Ms'))],
      [`p50 ms ${commit}`, ({ baseline }) => tenth(meanOf(baseline, 'p50Ms'))],
      ['p99 ms here', ({ here }) => tenth(meanOf(here, 'p99Ms'))],
      [`p99 ms ${commit}`, ({ baseline }) => tenth(meanOf(baseline, 'p99Ms'))],
    ],
    levels,
  )
}

/** Both builds' cost of one kind of process, this build's first. */
function pair(level: ComparedLevel, of: (cost: RequestCost) => number): string {
  const [here, baseline] = [meanCost(level.here), meanCost(level.baseline)]
  return here === null || baseline === null ? '-' : `${whole(of(here))} : ${whole(of(baseline))}`
}

function costs(levels: readonly ComparedLevel[]): string {
  return table<ComparedLevel>(
    [
      ['connections', ({ connections }) => String(connections)],
      ['gateway µs', (level) => pair(level, ({ gateway }) => gateway)],
      ['database µs', (level) => pair(level, ({ database }) => database)],
      ['bank µs', (level) => pair(level, ({ bank }) => bank)],
      ['load µs', (level) => pair(level, ({ load }) => load)],
      [
        'gateway and database, ratio',
        ({ here, baseline }) => {
          const [ours, theirs] = [meanCost(here), meanCost(baseline)]
          if (ours === null || theirs === null) return '-'
          return ((ours.gateway + ours.database) / (theirs.gateway + theirs.database)).toFixed(2)
        },
      ],
    ],
    levels,
  )
}

/** The rates of two builds, then the processor time of an authorization in each. */
export function comparisonTables(commit: string, levels: readonly ComparedLevel[]): string {
  const below = `Processor time of an authorization, here : ${commit}:`
  return [rates(commit, levels), '', below, '', costs(levels)].join('\n')
}
