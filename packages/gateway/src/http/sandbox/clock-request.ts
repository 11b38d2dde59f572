import { Secret } from '../../base/secret.ts'
import { parseIsoDuration } from '../../domain/clocks/iso-duration.ts'
import type { ClockCommand } from '../../usecases/clocks/change-clock.ts'
import type { AgendaCursor } from '../../usecases/clocks/read-agenda.ts'
import { AGENDA_LIMIT } from '../../usecases/clocks/read-agenda.ts'

/** An invalid body. The message states what was found and what was expected. */
export class ClockRequestError extends Error {
  readonly field: string

  constructor(field: string, sentence: string) {
    super(sentence)
    this.field = field
  }
}

export type Body = Readonly<Record<string, unknown>>

export interface Caller {
  readonly username: string
  readonly password: Secret
  readonly site: string
}

/** Throws for a body that is no object. */
export function readBody(body: unknown): Body {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new ClockRequestError(
      '',
      'The request has no body. Expected a JSON object with username, password and site.',
    )
  }
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    throw new ClockRequestError(
      '',
      'The body is no JSON. Expected an object with username, password and site.',
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ClockRequestError(
      '',
      'The body is no JSON object. Expected one with username, password and site.',
    )
  }
  return value as Body
}

export function readCaller(body: Body): Caller {
  const { username, password, site } = body
  if (typeof username !== 'string' || username === '')
    throw missing('username', 'the name of an API user')
  if (typeof password !== 'string' || password === '')
    throw missing('password', "the API user's password")
  const siteText = typeof site === 'number' ? String(site) : site
  if (typeof siteText !== 'string' || !/^[1-9][0-9]{0,17}$/.test(siteText))
    throw missing('site', 'the number of a site')
  return { username, password: new Secret(password), site: siteText }
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  show: [],
  jump: ['to', 'wait'],
  step: ['by', 'wait'],
  speed: ['speed'],
  stop: [],
  reset: ['wait'],
  agenda: ['after', 'limit'],
}

/** Refuses names that the action does not read: a mistake in them would go unnoticed. */
export function assertNames(action: string, body: Body): void {
  const known = ['username', 'password', 'site', ...(NAMES[action] ?? [])]
  const strange = Object.keys(body).find((name) => !known.includes(name))
  if (strange === undefined) return
  throw new ClockRequestError(
    strange.slice(0, 40),
    `The body has a member that is not known here. Expected no others than ${known.join(', ')}.`,
  )
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
      throw new ClockRequestError(
        'by',
        'by is no length of time. Expected one as ISO 8601 has it: P1D, P1M, P1Y, PT36H.',
      )
    }
    case 'speed': {
      const { speed } = body
      if (typeof speed === 'number') return { kind: 'speed', speed }
      throw new ClockRequestError(
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
  throw new ClockRequestError('wait', `wait is no number of seconds from 0 to ${LONGEST_WAIT_S}.`)
}

export function readLimit({ limit = 50 }: Body): number {
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= AGENDA_LIMIT)
    return limit
  throw new ClockRequestError('limit', `limit is no whole number from 1 to ${AGENDA_LIMIT}.`)
}

/** Null: from the beginning. */
export function readCursor({ after = null }: Body): AgendaCursor | null {
  if (after === null) return null
  const [, at = '', id = '', source = ''] =
    (typeof after === 'string'
      ? /^([0-9TZ:.-]{20,24}) ([0-9]{1,18}) (.{1,60})$/.exec(after)
      : null) ?? []
  if (source === '') {
    throw new ClockRequestError(
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
  throw new ClockRequestError(
    field,
    `${field} is no time. Expected one with its zone, such as 2036-01-31T12:00:00Z.`,
  )
}

function missing(field: string, what: string): ClockRequestError {
  return new ClockRequestError(field, `${field} is missing. Expected ${what}.`)
}
