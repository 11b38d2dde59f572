import type { ClockView } from '@tollgate/gateway/operator'
import { refuse, withOperator, type OperatorCommand } from './operator-commands.ts'
import { withProgress } from './progress.ts'

const USAGE = `Usage: tollgate clock <SITE_ID> [show | jump <time> | step <duration> | speed <number> | stop | reset | agenda [<number>]]
  A time is 2036-01-31T12:00:00Z, a duration P1D, P1M, P1Y or PT36H; speed 1 is real time.`
const WITH_ARGUMENT = ['jump', 'step', 'speed']
const ALONE = ['show', 'stop', 'reset']

/** `tollgate clock`: shows, moves and removes the clock of a test site. */
export const clock: OperatorCommand = async (args, env, { print, complain }) => {
  const [site = '', action = 'show', argument = '', ...rest] = args
  const isAgenda = action === 'agenda' && (argument === '' || /^[1-9][0-9]{0,2}$/.test(argument))
  const isAction = argument === '' ? ALONE.includes(action) : WITH_ARGUMENT.includes(action)
  if (!/^[1-9][0-9]{0,14}$/.test(site) || rest.length > 0 || !(isAgenda || isAction)) {
    complain(USAGE)
    return 1
  }
  const siteId = BigInt(site)
  if (isAgenda) {
    const limit = Math.min(Number(argument === '' ? 20 : argument), 500)
    const read = await withOperator(env, (operator) => operator.clocks.agenda(siteId, limit))
    if (!read.ok) return refuse(read.faults, complain)
    if (read.entries.length === 0) print(`Nothing is known that will happen at site ${siteId}.`)
    for (const { at, what, object } of read.entries)
      print(`${at.toISOString()}  ${what}: ${object}`)
    return 0
  }
  const changed = await withOperator(env, (operator) =>
    withProgress(complain, (set) => {
      set(`Waiting for the gateways to look at the clock of site ${siteId}.`)
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
  return `Site ${siteId} is at ${time.toISOString()}, on its way to ${target?.toISOString() ?? 'nowhere'}${doneSoFar(done)}.`
}

function clockLines(
  siteId: bigint,
  { done, hasOwnClock, movedFrom, speed, target, time }: ClockView,
): string[] {
  if (!hasOwnClock) return [`Site ${siteId} goes by the real time: ${time.toISOString()}.`]
  const pace =
    speed === 0
      ? 'stands still'
      : speed === 1
        ? 'goes on as the real time does'
        : `runs ${speed} times as fast as the real time`
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
