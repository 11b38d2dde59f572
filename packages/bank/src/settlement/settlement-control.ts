import type { IncomingMessage } from 'node:http'
import type { Plant, WaitingLine } from '../books/settlement-note.ts'
import {
  KEY,
  MERCHANT,
  ORDER_KEY,
  RRN,
  objectIn,
  oneOf,
  optional,
  refuse,
  text,
} from '../control/control-fields.ts'
import type { Json, TextForm } from '../control/control-fields.ts'
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

type Handler = (settlement: Settlement, body: Json) => Promise<SettlementAnswer>

const POSTS: Readonly<Record<string, Handler>> = {
  '': async (settlement, body) => {
    const merchant = text(body, 'merchant', MERCHANT)
    const currency = optional(body, 'currency', CURRENCY)
    const day = optional(body, 'businessDate', DAY)
    return json(201, { files: await settlement.makeNow(merchant, currency, day) })
  },
  '/days': async (settlement, body) => {
    const merchant = text(body, 'merchant', MERCHANT)
    const day = text(body, 'day', DAY)
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
  '/reject': async (settlement, body) => {
    const merchant = text(body, 'merchant', MERCHANT)
    const ref = text(body, 'ref', ORDER_KEY)
    await settlement.reject(merchant, ref)
    return json(201, { ref })
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
  return handler(settlement, objectIn(await readJson(request)))
}

const CURRENCY: TextForm = { pattern: /^\d{3}$/, expected: 'three digits of ISO 4217' }
const DAY: TextForm = {
  pattern: /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  expected: 'a day like 2026-11-23',
}
const MINOR: TextForm = {
  pattern: /^[1-9]\d{0,14}$/,
  expected: 'minor units in quotes, above zero',
}

function json(status: number, body: object): SettlementAnswer {
  return { status, body }
}

function noFile(name: string): ControlRefusal {
  return new ControlRefusal(404, `There is no settlement file ${name}.`)
}

function chainIn(body: Json) {
  return {
    merchant: text(body, 'merchant', MERCHANT),
    currency: text(body, 'currency', CURRENCY),
  }
}

function plantIn(body: Json): Plant {
  const kind = oneOf(body, 'kind', PLANT_KINDS)
  return { kind, nth: whole(body, 'nth', 1, 9_999_999, 1), days: whole(body, 'days', 1, 3650, 4) }
}

const DISPUTE_KINDS = ['chargeback', 'chargeback_again', 'dispute_reversal', 'dispute_fee'] as const

function disputeLine(body: Json): WaitingLine {
  const kind = oneOf(body, 'kind', DISPUTE_KINDS)
  const minor = BigInt(text(body, 'minor', MINOR))
  const keys = { case: text(body, 'case', KEY), ...orderIn(body) }
  if (kind === 'dispute_fee')
    return { kind, ...keys, gross: '0', fees: { dispute: String(-minor) } }
  return { kind, ...keys, gross: String(kind === 'dispute_reversal' ? minor : -minor) }
}

function orderIn(body: Json): Pick<WaitingLine, 'order' | 'rrn' | 'reason'> {
  const order = optional(body, 'order', KEY)
  const rrn = optional(body, 'rrn', RRN)
  const reason = optional(body, 'reason', KEY)
  return {
    ...(order === null ? {} : { order }),
    ...(rrn === null ? {} : { rrn }),
    ...(reason === null ? {} : { reason }),
  }
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
  return refuse(name, body[name], `a whole number from ${from} to ${to}`)
}
