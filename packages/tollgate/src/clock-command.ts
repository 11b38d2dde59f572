import type { ClockView } from '@tollgate/gateway/operator'
import {
  refuse,
  withOperator,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'
import { withProgress } from './progress.ts'

/** The clock of a test site. docs/integrators/test-clock.md */
export const clock: OperatorCommand = {
  name: 'clock',
  summary: "clock <SITE_ID> [jump|step|speed|stop|reset|agenda] shows or moves a test site's clock",
  forms: [
    {
      words: '<SITE_ID> [show]',
      help: 'shows the time of a site',
      run: ({ word }, context) => change(word('SITE_ID'), 'show', '', context),
    },
    {
      words: '<SITE_ID> jump <time>',
      help: 'moves the clock to a time, and runs everything due until then',
      run: ({ word }, context) => change(word('SITE_ID'), 'jump', word('time'), context),
    },
    {
      words: '<SITE_ID> step <duration>',
      help: 'moves the clock by a duration',
      run: ({ word }, context) => change(word('SITE_ID'), 'step', word('duration'), context),
    },
    {
      words: '<SITE_ID> speed <factor>',
      help: 'sets the speed of the clock, as a multiple of real time',
      run: ({ word }, context) => change(word('SITE_ID'), 'speed', word('factor'), context),
    },
    {
      words: '<SITE_ID> stop|reset',
      help: 'stops the clock, or returns the site to real time',
      run: ({ word }, context) => change(word('SITE_ID'), word('stop|reset'), '', context),
    },
    {
      words: '<SITE_ID> agenda [<number>]',
      help: 'lists the next events of the site, 20 by default',
      run: ({ word }, context) => showAgenda(word('SITE_ID'), word('number'), context),
    },
  ],
  notes:
    '  A time is 2036-01-31T12:00:00Z, a duration P1D, P1M, P1Y or PT36H; speed 1 is real time.',
}

async function showAgenda(
  site: string,
  number: string,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const siteId = BigInt(site)
  const limit = Math.min(Number(number === '' ? 20 : number), 500)
  const read = await withOperator(env, (operator) => operator.clocks.agenda(siteId, limit))
  if (!read.ok) return refuse(read.faults, complain)
  if (read.entries.length === 0) print(`Site ${siteId} has no scheduled events.`)
  for (const { at, what, object } of read.entries) print(`${at.toISOString()}  ${what}: ${object}`)
  return 0
}

async function change(
  site: string,
  action: string,
  argument: string,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const siteId = BigInt(site)
  const changed = await withOperator(env, (operator) =>
    withProgress(complain, (set) => {
      set(`Waiting for the gateways to read the clock of site ${siteId}.`)
      return operator.clocks.change(siteId, action, argument, (view) =>
        set(progressLine(siteId, view)),
      )
    }),
  )
  if (!changed.ok) return refuse(changed.faults, complain)
  for (const line of clockLines(siteId, changed.view)) print(line)
  return 0
}

function progressLine(siteId: bigint, { target, time, done }: ClockView): string {
  return `Site ${siteId} is at ${time.toISOString()}, moving to ${target?.toISOString() ?? 'nowhere'}${doneSoFar(done)}.`
}

function clockLines(
  siteId: bigint,
  { done, hasOwnClock, movedFrom, speed, target, time }: ClockView,
): string[] {
  if (!hasOwnClock) return [`Site ${siteId} is on real time: ${time.toISOString()}.`]
  const pace =
    speed === 0
      ? 'stands still'
      : speed === 1
        ? 'runs at the speed of real time'
        : `runs ${speed} times as fast as real time`
  return [
    `The clock of site ${siteId} shows ${time.toISOString()} and ${pace}.`,
    ...(target === null ? [] : [`It is being moved to ${target.toISOString()}.`]),
    ...(movedFrom === null
      ? []
      : [`It was last moved from ${movedFrom.toISOString()}${doneSoFar(done)}.`]),
  ]
}

function doneSoFar(done: ClockView['done']): string {
  const parts = Object.entries(done).map(([name, count]) => `${count} ${name}`)
  return parts.length === 0 ? '' : `; done: ${parts.join(', ')}`
}
