import type { IncomingMessage } from 'node:http'
import type { Plant, WaitingLine } from '../books/settlement-note.ts'
import { ControlRefusal, readJson } from '../control/control-request.ts'
import { TEXT_PLANTS } from './damage.ts'
import { PLANT_KINDS } from './decide-file.ts'
import type { Settlement } from './settlement.ts'

/** All requests about settlement files are under this address. */
export const SETTLEMENT_PATH = '/books/settlement'

/** An answer in JSON, or a file to send. */
export type SettlementAnswer =
  | { readonly status: number; readonly body: object }
  | { readonly path: string; readonly type: string }

type Json = Readonly<Record<string, unknown>>
type Handler = (settlement: Settlement, body: Json) => Promise<SettlementAnswer>

const POSTS: Readonly<Record<string, Handler>> = {
  '': async (settlement, body) => {
    const merchant = text(body, 'merchant', MERCHANT, 'up to 15 characters of DE 42')
    const currency = optional(body, 'currency', CURRENCY, 'three digits of ISO 4217')
    const day = optional(body, 'businessDate', DAY, 'a day like 2026-11-23')
    return json(201, { files: await settlement.makeNow(merchant, currency, day) })
  },
  '/days': async (settlement, body) => {
    const merchant = text(body, 'merchant', MERCHANT, 'up to 15 characters of DE 42')
    const day = text(body, 'day', DAY, 'a day like 2026-11-23')
    return json(201, { files: await settlement.reachDay(merchant, day) })
  },
  '/disputes': async (settlement, body) => {
    await settlement.addDisputeLine(chainIn(body), disputeLine(body))
    return json(201, { waits: 1 })
  },
  '/reserve': async (settlement, body) => {
    const isOff = body['percent'] === 0
    const days = isOff ? 0 : whole(body, 'days', 1, 3650, null)
    const percent = whole(body, 'percent', 0, 100, null)
    const reserve = isOff ? null : { rateMillionths: percent * 10_000, days }
    await settlement.setReserve(chainIn(body), reserve)
    return json(200, { percent, days })
  },
  '/plants': async (settlement, body) => {
    const plant = plantIn(body)
    const { name } = body
    if (name === undefined) {
      settlement.plant(chainIn(body), plant)
    } else {
      if (!TEXT_PLANTS.has(plant.kind)) {
        throw new ControlRefusal(400, `${plant.kind} cannot be given to a finished file.`)
      }
      if (!(await settlement.damage(String(name), plant))) throw noFile(String(name))
    }
    return json(201, plant)
  },
  '/correct': async (settlement, body) => {
    const name = String(body['name'] ?? '')
    if (!(await settlement.correct(name))) throw noFile(name)
    return json(200, { name })
  },
}

/** Answers a request under `/books/settlement`. Throws ControlRefusal. */
export async function answerSettlement(
  settlement: Settlement,
  request: IncomingMessage,
  { pathname, searchParams }: URL,
): Promise<SettlementAnswer> {
  const { method = '' } = request
  const rest = pathname.slice(SETTLEMENT_PATH.length)
  if (method === 'GET' && rest === '') {
    return json(200, { files: await settlement.list(new Set(searchParams.getAll('merchant'))) })
  }
  if (method === 'GET' && rest === '/plants') return json(200, { kinds: PLANT_KINDS })
  if (method === 'GET' && rest === '/file') {
    const name = searchParams.get('name') ?? ''
    const path = await settlement.pathOf(name)
    if (path === null) throw noFile(name)
    return { path, type: name.endsWith('.csv') ? 'text/csv' : 'application/x-ndjson' }
  }
  const handler = method === 'POST' && Object.hasOwn(POSTS, rest) ? POSTS[rest] : undefined
  if (handler === undefined) {
    throw new ControlRefusal(404, `There is no ${method} ${pathname}. See docs/settlement-file.md.`)
  }
  const body = await readJson(request)
  if (typeof body !== 'object' || body === null) {
    throw new ControlRefusal(400, 'The body must be a JSON object.')
  }
  return handler(settlement, body as Json)
}

const MERCHANT = /^[\x21-\x7e]{1,15}$/
const CURRENCY = /^\d{3}$/
const DAY = /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/
const KEY = /^[\x21-\x7e]{1,64}$/
const MINOR = /^(0|-?[1-9]\d{0,14})$/

function json(status: number, body: object): SettlementAnswer {
  return { status, body }
}

function noFile(name: string): ControlRefusal {
  return new ControlRefusal(404, `There is no settlement file ${name}.`)
}

function chainIn(body: Json) {
  return {
    merchant: text(body, 'merchant', MERCHANT, 'up to 15 characters of DE 42'),
    currency: text(body, 'currency', CURRENCY, 'three digits of ISO 4217'),
  }
}

function plantIn(body: Json): Plant {
  const kind = String(body['kind'])
  if (!PLANT_KINDS.includes(kind)) {
    throw new ControlRefusal(400, `kind must be one of ${PLANT_KINDS.join(', ')}.`)
  }
  return { kind, nth: whole(body, 'nth', 1, 9_999_999, 1), days: whole(body, 'days', 1, 3650, 4) }
}

const DISPUTE_KINDS = ['chargeback', 'chargeback_again', 'dispute_reversal', 'dispute_fee'] as const

function disputeLine(body: Json): WaitingLine {
  const kind = DISPUTE_KINDS.find((each) => each === body['kind'])
  if (kind === undefined) {
    throw new ControlRefusal(400, `kind must be one of ${DISPUTE_KINDS.join(', ')}.`)
  }
  const minor = BigInt(text(body, 'minor', MINOR, 'minor units in quotes, above zero'))
  if (minor <= 0n) throw new ControlRefusal(400, 'minor must be above zero.')
  const keys = { case: text(body, 'case', KEY, 'up to 64 characters'), ...orderIn(body) }
  if (kind === 'dispute_fee')
    return { kind, ...keys, gross: '0', fees: { dispute: String(-minor) } }
  return { kind, ...keys, gross: String(kind === 'dispute_reversal' ? minor : -minor) }
}

function orderIn(body: Json): Pick<WaitingLine, 'order' | 'rrn' | 'reason'> {
  const order = optional(body, 'order', KEY, 'up to 64 characters')
  const rrn = optional(body, 'rrn', /^[0-9A-Za-z]{12}$/, '12 letters and digits')
  const reason = optional(body, 'reason', KEY, 'up to 64 characters')
  return {
    ...(order === null ? {} : { order }),
    ...(rrn === null ? {} : { rrn }),
    ...(reason === null ? {} : { reason }),
  }
}

function optional(body: Json, name: string, pattern: RegExp, expected: string): string | null {
  return body[name] === undefined ? null : text(body, name, pattern, expected)
}

function text(body: Json, name: string, pattern: RegExp, expected: string): string {
  const value = body[name]
  if (typeof value === 'string' && pattern.test(value)) return value
  throw new ControlRefusal(400, `${name} must be ${expected}.`)
}

function whole(
  body: Json,
  name: string,
  from: number,
  to: number,
  fallback: number | null,
): number {
  const value = body[name] ?? fallback
  if (typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to) {
    return value
  }
  throw new ControlRefusal(400, `${name} must be a whole number from ${from} to ${to}.`)
}
