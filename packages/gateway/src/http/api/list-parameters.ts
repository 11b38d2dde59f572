import { maskText } from '../../base/card-masking.ts'
import { findCurrency } from '../../domain/currency.ts'
import { parseAmount } from '../../domain/money.ts'
import type { FilterName, ListFilter } from '../../usecases/queries/list-reader.ts'
import type { ListName } from '../../usecases/queries/listed-rows.ts'
import { COMMON_PARAMETERS, LIST_PARAMETERS } from './list-parameter-table.ts'

export type ListFormat = 'json' | 'jsonl' | 'csv'

/** The parameters of a list, read and in their bounds. */
export interface ListParameters {
  readonly filter: Omit<ListFilter, 'merchantId'>
  readonly after: string
  /** Null if none was sent. */
  readonly limit: number | null
  /** Null if none was sent. */
  readonly format: ListFormat | null
  /** Whether a CSV file ends with a line that counts its rows. */
  readonly hasCount: boolean
}

export interface ParameterRefusal {
  readonly ok: false
  readonly parameter: string
  readonly detail: string
}

export type ListParametersResult =
  | { readonly ok: true; readonly parameters: ListParameters }
  | ParameterRefusal

export const MOST_ROWS = 1_000
export const USUAL_ROWS = 100
const MOST_FILE_ROWS = 1_000_000_000
const LONGEST_CURSOR = 400
const FORMATS: readonly string[] = ['json', 'jsonl', 'csv']
/** Amounts in the way that each name is compared. */
const AMOUNTS: Readonly<Record<string, readonly FilterName[]>> = {
  amount: ['least_minor', 'most_minor'],
  amount_min: ['least_minor'],
  amount_max: ['most_minor'],
}

/** The names of the parameters of a list, in the sequence of its documentation. */
export function parameterNames(list: ListName): readonly string[] {
  return [...Object.keys(COMMON_PARAMETERS), ...Object.keys(LIST_PARAMETERS[list])]
}

/** @param query the search part of the address, without its question mark */
export function readListParameters(list: ListName, query: string): ListParametersResult {
  const given = new URLSearchParams(query)
  const names = parameterNames(list)
  for (const name of given.keys()) {
    if (!names.includes(name)) {
      return refuse(name, `${list} has no such parameter. It has: ${names.join(', ')}.`)
    }
    if (given.getAll(name).length > 1) return refuse(name, 'It was sent more than once.')
  }
  const common = readCommon(given)
  if (!common.ok) return common
  const values = new Map<FilterName, string>()
  for (const [name, { expected, filter, read }] of Object.entries(LIST_PARAMETERS[list])) {
    const text = given.get(name)
    if (text === null || read === null) continue
    const value = read(text)
    if (value === null || filter === null) return refuse(name, expected)
    values.set(filter, value)
  }
  const refusal = readAmounts(given, values)
  if (refusal !== null) return refusal
  const { from, to, ...rest } = common.parameters
  return { ok: true, parameters: { ...rest, filter: { from, to, values } } }
}

function readCommon(given: URLSearchParams) {
  const times: (Date | null)[] = []
  for (const name of ['from', 'to']) {
    const text = given.get(name)
    const time = text === null ? null : readTime(text)
    if (time === undefined) return refuse(name, COMMON_PARAMETERS.from.expected)
    times.push(time)
  }
  const [from = null, to = null] = times
  if (from !== null && to !== null && from >= to) return refuse('to', 'It is later than from.')
  const format = given.get('format')
  if (format !== null && !isFormat(format)) {
    return refuse('format', COMMON_PARAMETERS.format.expected)
  }
  const limitText = given.get('limit')
  const limit = limitText === null ? null : Number(limitText)
  if (limitText !== null && (!/^\d{1,10}$/.test(limitText) || limit === 0)) {
    return refuse('limit', COMMON_PARAMETERS.limit.expected)
  }
  if (limit !== null && limit > MOST_FILE_ROWS) {
    return refuse('limit', COMMON_PARAMETERS.limit.expected)
  }
  const count = given.get('count') ?? 'false'
  if (count !== 'true' && count !== 'false') {
    return refuse('count', COMMON_PARAMETERS.count.expected)
  }
  const after = given.get('after') ?? ''
  if (after.length > LONGEST_CURSOR) return refuse('after', COMMON_PARAMETERS.after.expected)
  const parameters = { from, to, after, limit, format, hasCount: count === 'true' }
  return { ok: true as const, parameters }
}

function isFormat(text: string): text is ListFormat {
  return FORMATS.includes(text)
}

const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

/** Undefined for a text that is no time. A day is its first moment in UTC. */
export function readTime(text: string): Date | undefined {
  if (!TIME.test(text)) return undefined
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) return undefined
  // Date.parse takes days that do not exist, such as 31 June.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  const exists =
    !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text.slice(0, 10)
  return exists ? time : undefined
}

/** Amounts are decimal texts, so they need a currency. */
function readAmounts(
  given: URLSearchParams,
  values: Map<FilterName, string>,
): ParameterRefusal | null {
  const named = Object.keys(AMOUNTS).filter((name) => given.has(name))
  if (named.length === 0) return null
  const currency = findCurrency(values.get('currency') ?? '')
  if (currency === null) return refuse('currency', 'An amount needs its currency, such as EUR.')
  if (given.has('amount') && named.length > 1) {
    return refuse('amount', 'Send either amount, or amount_min and amount_max.')
  }
  for (const name of named) {
    const reading = parseAmount(given.get(name) ?? '', currency)
    if (reading.kind !== 'amount') {
      return refuse(name, `It is an amount in ${currency.code}, such as 12.50 or 1000.`)
    }
    for (const filter of AMOUNTS[name] ?? []) values.set(filter, reading.minor.toString())
  }
  return null
}

function refuse(parameter: string, detail: string): ParameterRefusal {
  return { ok: false, parameter: maskText(parameter.slice(0, 64)), detail }
}
