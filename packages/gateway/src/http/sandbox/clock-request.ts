import { parseIsoDuration } from '../../domain/clocks/iso-duration.ts'
import type { ClockCommand } from '../../usecases/clocks/change-clock.ts'
import type { AgendaCursor } from '../../usecases/clocks/read-agenda.ts'
import { AGENDA_LIMIT } from '../../usecases/clocks/read-agenda.ts'
import { assertMembers, SandboxRequestError, type Body } from './sandbox-request.ts'

const NAMES: Readonly<Record<string, readonly string[]>> = {
  show: [],
  jump: ['to', 'wait'],
  step: ['by', 'wait'],
  speed: ['speed'],
  stop: [],
  reset: ['wait'],
  agenda: ['after', 'limit'],
}

/** Refuses names that the action does not read. */
export function assertNames(action: string, body: Body): void {
  assertMembers(body, NAMES[action] ?? [])
}

/** Null: there is nothing of that name. */
export function readClockCommand(action: string, body: Body): ClockCommand | null {
  switch (action) {
    case 'show':
      return { kind: 'show' }
    case 'jump':
      return { kind: 'jump', to: readTime(body['to'], 'to') }
    case 'step': {
      const by = typeof body['by'] === 'string' ? parseIsoDuration(body['by']) : null
      if (by !== null) return { kind: 'step', by }
      throw new SandboxRequestError(
        'by',
        'by is no length of time. Expected one as ISO 8601 has it: P1D, P1M, P1Y, PT36H.',
      )
    }
    case 'speed': {
      const { speed } = body
      if (typeof speed === 'number') return { kind: 'speed', speed }
      throw new SandboxRequestError(
        'speed',
        'speed is no number. Expected a whole one: 1 is real time, 86400 a day in a second.',
      )
    }
    case 'stop':
      return { kind: 'speed', speed: 0 }
    case 'reset':
      return { kind: 'reset' }
    default:
      return null
  }
}

const LONGEST_WAIT_S = 60
const DEFAULT_WAIT_S = 20

/** In milliseconds. */
export function readWait({ wait = DEFAULT_WAIT_S }: Body): number {
  if (typeof wait === 'number' && wait >= 0 && wait <= LONGEST_WAIT_S) return wait * 1_000
  throw new SandboxRequestError('wait', `wait is no number of seconds from 0 to ${LONGEST_WAIT_S}.`)
}

export function readLimit({ limit = 50 }: Body): number {
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= AGENDA_LIMIT)
    return limit
  throw new SandboxRequestError('limit', `limit is no whole number from 1 to ${AGENDA_LIMIT}.`)
}

/** Null: from the beginning. */
export function readCursor({ after = null }: Body): AgendaCursor | null {
  if (after === null) return null
  const [, at = '', id = '', source = ''] =
    (typeof after === 'string'
      ? /^([0-9TZ:.-]{20,24}) ([0-9]{1,18}) (.{1,60})$/.exec(after)
      : null) ?? []
  if (source === '') {
    throw new SandboxRequestError(
      'after',
      'after is nothing that an agenda gave. Expected what stood in next.',
    )
  }
  return { at: readTime(at, 'after'), id: BigInt(id), source }
}

export function writeCursor({ at, id, source }: AgendaCursor): string {
  return `${at.toISOString()} ${id} ${source}`
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/

function readTime(text: unknown, field: string): Date {
  const time = typeof text === 'string' && TIME.test(text) ? new Date(text) : null
  if (time !== null && !Number.isNaN(time.getTime())) return time
  throw new SandboxRequestError(
    field,
    `${field} is no time. Expected one with its zone, such as 2036-01-31T12:00:00Z.`,
  )
}
