import { EVENT_TYPE_NAMES } from '../../domain/events/event-types.ts'

/** The parameters of the feed, read and in their bounds. */
export interface FeedParameters {
  readonly after: string
  readonly limit: number
  readonly waitMs: number
  readonly types: readonly string[]
  readonly siteId: bigint | null
}

export type FeedParametersResult =
  | { readonly ok: true; readonly parameters: FeedParameters }
  | { readonly ok: false; readonly parameter: string; readonly detail: string }

export const MOST_EVENTS = 1_000
const USUAL_EVENTS = 100
/** Proxies cut a connection that is silent for a minute. */
export const LONGEST_WAIT_S = 55
const LONGEST_CURSOR = 200
const MOST_TYPES = 50

const NAMES = new Set(['after', 'limit', 'wait', 'types', 'site_id'])

/** @param query the search part of the address, without its question mark */
export function readFeedParameters(query: string): FeedParametersResult {
  const given = new URLSearchParams(query)
  for (const name of given.keys()) {
    if (!NAMES.has(name)) return refuse(name, 'No such parameter.')
    if (given.getAll(name).length > 1) return refuse(name, 'It was sent more than once.')
  }
  const limit = wholeNumber(given.get('limit'), USUAL_EVENTS, 1, MOST_EVENTS)
  if (limit === null) return refuse('limit', `It is a whole number from 1 to ${MOST_EVENTS}.`)
  const wait = wholeNumber(given.get('wait'), 0, 0, LONGEST_WAIT_S)
  if (wait === null) return refuse('wait', `It is a number of seconds from 0 to ${LONGEST_WAIT_S}.`)
  const types = (given.get('types') ?? '').split(',').filter((type) => type !== '')
  if (types.length > MOST_TYPES) return refuse('types', `It names at most ${MOST_TYPES} types.`)
  const unknown = types.find((type) => !isType(type))
  if (unknown !== undefined) {
    return refuse('types', 'It lists types of events, or beginnings of them such as "payment.".')
  }
  const site = given.get('site_id') ?? ''
  if (!/^\d{0,18}$/.test(site)) return refuse('site_id', 'It is the number of a site.')
  const after = given.get('after') ?? ''
  if (after.length > LONGEST_CURSOR) return refuse('after', 'It is a cursor of this feed.')
  return {
    ok: true,
    parameters: {
      after,
      limit,
      waitMs: wait * 1_000,
      types,
      siteId: site === '' ? null : BigInt(site),
    },
  }
}

function isType(type: string): boolean {
  return type.endsWith('.')
    ? EVENT_TYPE_NAMES.some((name) => name.startsWith(type))
    : EVENT_TYPE_NAMES.some((name) => name === type)
}

function wholeNumber(
  text: string | null,
  usual: number,
  least: number,
  most: number,
): number | null {
  if (text === null) return usual
  if (!/^\d{1,6}$/.test(text)) return null
  const value = Number(text)
  return value >= least && value <= most ? value : null
}

function refuse(parameter: string, detail: string): FeedParametersResult {
  return { ok: false, parameter: parameter.slice(0, 64), detail }
}
