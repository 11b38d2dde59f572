import type { FaultMatch, FaultRule, NewFaultRule } from '../acquirer/fault-rules.ts'
import type { Fault } from '../acquirer/fault.ts'
import { refuse } from './control-fields.ts'
import type { Json } from './control-fields.ts'
import { ControlRefusal } from './control-request.ts'

const MTIS = /^(0100|0200|0220|0420|0500|0600)$/

/** A parameter of an action: how to read it, and its default. */
interface Parameter {
  readonly accepts: (value: unknown) => boolean
  readonly expected: string
  readonly fallback?: unknown
}

const INITIATION = /^(merchant|customer|[MC]\d{3})$/
const LONGEST_MS = 120_000

const delay: Parameter = {
  accepts: (value) => isWhole(value, 0, LONGEST_MS),
  expected: `a whole number of milliseconds up to ${LONGEST_MS}`,
}
const yesOrNo: Parameter = {
  accepts: (value) => typeof value === 'boolean',
  expected: 'true or false',
  fallback: true,
}
const responseCode: Parameter = {
  accepts: (value) => typeof value === 'string' && /^[0-9A-Z]{2}$/.test(value),
  expected: 'two digits or capital letters in quotes',
}
const advice: Parameter = {
  accepts: (value) => value === undefined || (typeof value === 'string' && /^\d{2}$/.test(value)),
  expected: 'two digits in quotes, or be left out for none',
}
const others: Parameter = {
  accepts: (value) => isWhole(value, 0, 500),
  expected: 'a whole number up to 500',
  fallback: 50,
}

/** The actions that a rule can name, with their parameters. */
export const ACTIONS: Readonly<Record<string, Readonly<Record<string, Parameter>>>> = {
  slow: { delayMs: delay },
  late: { delayMs: delay },
  held_back: { delayMs: delay },
  late_start: { delayMs: delay },
  silent: { applied: yesOrNo },
  twice: {},
  close: {},
  torn: {},
  reset: { others },
  wrong_stan: {},
  wrong_amount: {},
  wrong_bitmap: {},
  code: { code: responseCode, advice, applied: yesOrNo },
  stand_in: { approves: yesOrNo },
  settlement_rejection: {},
}

/** Reads the body of `POST /faults`. Throws ControlRefusal with the error. */
export function readFaultRule(body: unknown): NewFaultRule {
  const names = ['match', 'action', 'count', 'probability', 'seed', 'skip']
  const { action, ...given } = readObject('The body', body, names)
  const { count = null, match = {}, probability = 1, seed = 1, skip = 0 } = given
  if (count !== null && !isWhole(count, 1, 1_000_000_000)) {
    refuse('count', count, 'a whole number from 1, or be left out for no end')
  }
  if (!isWhole(skip, 0, 1_000_000_000)) refuse('skip', skip, 'a whole number from 0')
  if (typeof probability !== 'number' || !(probability >= 0 && probability <= 1)) {
    refuse('probability', probability, 'a number from 0 to 1')
  }
  if (!isWhole(seed, 0, 2 ** 32 - 1)) refuse('seed', seed, 'a whole number from 0 to 4294967295')
  return {
    match: readMatch(match),
    action: readAction(action),
    skip: skip as number,
    count: count as number | null,
    probability: probability as number,
    seed: seed as number,
  }
}

/** A rule as JSON: amounts are text, as everywhere. */
export function showFaultRule({ id, match, skip, ...rule }: FaultRule): Json {
  const { amountFrom, amountTo, ...texts } = match
  const shown = {
    ...texts,
    ...(amountFrom === undefined ? {} : { amountFrom: String(amountFrom) }),
    ...(amountTo === undefined ? {} : { amountTo: String(amountTo) }),
  }
  return { id, match: shown, ...rule, ...(skip === 0 ? {} : { skip }) }
}

function readMatch(value: unknown): FaultMatch {
  const names = ['mti', 'merchant', 'amountFrom', 'amountTo', 'last4', 'initiation']
  const given = readObject('match', value, names)
  const text = (name: string, pattern: RegExp, expected: string) => {
    const found = given[name]
    if (found === undefined) return {}
    if (typeof found === 'string' && pattern.test(found)) return { [name]: found }
    return refuse(`match.${name}`, found, expected)
  }
  const amount = (name: string) => {
    const found = given[name]
    if (found === undefined) return {}
    if (/^\d{1,12}$/.test(String(found))) return { [name]: BigInt(String(found)) }
    return refuse(`match.${name}`, found, 'a whole number of minor units')
  }
  return {
    ...text('mti', MTIS, 'one of "0100", "0200", "0220", "0420", "0500", "0600"'),
    ...text('merchant', /^\S.{0,14}$/, 'the 1 to 15 characters of a merchant id'),
    ...amount('amountFrom'),
    ...amount('amountTo'),
    ...text('last4', /^\d{4}$/, 'four digits in quotes'),
    ...text('initiation', INITIATION, '"merchant", "customer" or a value of CI'),
  }
}

function readAction(value: unknown): Fault {
  const kind = isObject(value) ? value['kind'] : undefined
  const parameters = typeof kind === 'string' && Object.hasOwn(ACTIONS, kind) ? ACTIONS[kind] : null
  if (parameters === null || parameters === undefined) {
    return refuse('action.kind', kind, `one of ${Object.keys(ACTIONS).join(', ')}`)
  }
  const given = readObject('action', value, ['kind', ...Object.keys(parameters)])
  const action: Record<string, unknown> = { kind }
  for (const [name, { accepts, expected, fallback }] of Object.entries(parameters)) {
    const found = given[name] ?? fallback
    if (!accepts(found)) refuse(`action.${name}`, found, expected)
    if (found !== undefined) action[name] = found
  }
  return action as unknown as Fault
}

/** Throws on an unknown name: the rule would do something else than its author meant. */
function readObject(name: string, value: unknown, allowed: readonly string[]): Json {
  if (!isObject(value)) throw new ControlRefusal(400, `${name} must be a JSON object.`)
  const strange = Object.keys(value).find((key) => !allowed.includes(key))
  if (strange === undefined) return value
  const sentence = `${name} has "${strange}", but may have only ${allowed.join(', ')}.`
  throw new ControlRefusal(400, sentence)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isWhole(value: unknown, low: number, high: number): boolean {
  return Number.isInteger(value) && Number(value) >= low && Number(value) <= high
}
