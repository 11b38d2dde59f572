import type { FastifyInstance } from 'fastify'
import type {
  ChangeClock,
  ClockRefusalCode,
  ClockView,
} from '../../usecases/clocks/change-clock.ts'
import type { ReadAgenda } from '../../usecases/clocks/read-agenda.ts'
import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import {
  assertNames,
  readClockCommand,
  readCursor,
  readLimit,
  readWait,
  writeCursor,
} from './clock-request.ts'
import {
  fault,
  GATE_REFUSALS,
  sandboxAddresses,
  type SandboxAnswer,
  type SandboxCall,
  type SandboxGateDeps,
} from './sandbox-gate.ts'
import type { Body } from './sandbox-request.ts'

export interface ClockServiceDeps extends SandboxGateDeps {
  readonly changeClock: ChangeClock
  readonly readAgenda: ReadAgenda
}

export const CLOCK_PATH = '/sandbox/clock'
/** The actions that may follow the path; without one the clock is shown. */
export const CLOCK_ACTIONS = ['jump', 'step', 'speed', 'stop', 'reset', 'agenda'] as const

/** Every code of a refusal and its HTTP status; docs/integrators/test-clock.md lists the same. */
export function clockRefusals(): ReadonlyMap<string, number> {
  return new Map(Object.entries({ ...GATE_REFUSALS, ...REFUSED }))
}

const REFUSED: Readonly<Record<ClockRefusalCode, number>> = {
  live_site: 403,
  backwards: 409,
  ahead: 409,
  moving: 409,
  too_far: 400,
  speed_out_of_range: 400,
}

/** Clocks of test sites, for integrators: one address for each thing to do. */
export function clockService(app: FastifyInstance, deps: ClockServiceDeps): void {
  const serve = sandboxAddresses(app, deps, 'the clock')
  serve(CLOCK_PATH, (call) => answer('show', call))
  for (const action of CLOCK_ACTIONS) {
    serve(`${CLOCK_PATH}/${action}`, (call) => answer(action, call))
  }

  function answer(action: string, call: SandboxCall): Promise<SandboxAnswer> {
    assertNames(action, call.body)
    return action === 'agenda' ? agenda(call.site, call.body) : change(action, call)
  }

  async function change(action: string, { site, user, body }: SandboxCall): Promise<SandboxAnswer> {
    const command = readClockCommand(action, body)
    if (command === null) return fault(404, '', 'unknown', 'There is nothing at this address.')
    const result = await deps.changeClock(site, command, `api:${user.username}`, readWait(body))
    if (!result.ok) {
      const { code, faults, view } = result
      const { status, body: refusal } = fault(REFUSED[code], '', code, faults.join(' '))
      return { status, body: { ...refusal, ...(view === null ? {} : shown(site, view)) } }
    }
    // Under way, and longer than was to be waited for.
    const isOnItsWay = result.view.target !== null && command.kind !== 'show'
    return { status: isOnItsWay ? 202 : 200, body: shown(site, result.view) }
  }

  async function agenda(site: Site, body: Body): Promise<SandboxAnswer> {
    if (site.mode !== 'test') {
      return fault(
        403,
        'site',
        'live_site',
        'The site is in live mode. Only sites in test mode have an agenda.',
      )
    }
    const { entries, next } = await deps.readAgenda(site, readCursor(body), readLimit(body))
    return {
      status: 200,
      body: {
        site: Number(site.id),
        time: site.clock.now().toISOString(),
        agenda: entries.map(({ at, object, what }) => ({ at: at.toISOString(), what, object })),
        next: next === null ? null : writeCursor(next),
      },
    }
  }
}

function shown(site: Site, view: ClockView): object {
  return {
    site: Number(site.id),
    time: view.time.toISOString(),
    realTime: view.machineTime.toISOString(),
    ownClock: view.hasOwnClock,
    speed: view.speed,
    movingTo: view.target?.toISOString() ?? null,
    movedFrom: view.movedFrom?.toISOString() ?? null,
    done: view.done,
  }
}
