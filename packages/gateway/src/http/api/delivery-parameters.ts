import type {
  DeliveryFilter,
  DeliveryPlace,
  DeliveryState,
} from '../../usecases/webhooks/webhook-reader.ts'
import { readTime, type ParameterRefusal } from './list-parameters.ts'

/** The parameters of the list of deliveries, read and in their bounds. */
export interface DeliveryParameters {
  readonly filter: Omit<DeliveryFilter, 'merchantId'>
  /** Null for the beginning. */
  readonly after: DeliveryPlace | null
  readonly limit: number
}

const MOST_DELIVERIES = 200
const USUAL_DELIVERIES = 50
const STATES: readonly string[] = ['pending', 'delivered', 'failed'] satisfies DeliveryState[]
const NUMBER = /^\d{1,18}$/

/** The parameters with their meanings; docs/integrators/webhook-api.md has them too. */
export const DELIVERY_PARAMETERS = {
  site_id: 'the site',
  endpoint_id: 'the endpoint',
  state: 'the state: `pending`, `delivered`, `failed`',
  type: 'the type of the event, or a beginning of types such as `payment.`',
  event_id: 'the event',
  from: 'queued at this time or later, such as `2026-11-27T09:00:00Z`',
  to: 'queued before this time',
  after: 'the cursor to go on from',
  limit: 'most rows of a page, 1 to 200, by default 50',
} as const

type Name = keyof typeof DELIVERY_PARAMETERS

const EXPECTED: Readonly<Record<Name, string>> = {
  site_id: 'It is the number of a site.',
  endpoint_id: 'It is the number of an endpoint.',
  state: `It is one of ${STATES.join(', ')}.`,
  type: 'It is a type of event, or a beginning such as "payment.".',
  event_id: 'It is the id of an event.',
  from: 'It is a time such as 2026-11-27T09:00:00Z, or a day.',
  to: 'It is a time such as 2026-11-27T09:00:00Z, or a day.',
  after: 'It is the cursor of an answer.',
  limit: `It is a whole number from 1 to ${MOST_DELIVERIES}.`,
}

/** @param query the search part of the address, without its question mark */
export function readDeliveryParameters(
  query: string,
): { readonly ok: true; readonly parameters: DeliveryParameters } | ParameterRefusal {
  const given = new URLSearchParams(query)
  for (const name of given.keys()) {
    if (!Object.hasOwn(DELIVERY_PARAMETERS, name)) {
      const names = Object.keys(DELIVERY_PARAMETERS).join(', ')
      return refuse(name, `There is no such parameter. There are: ${names}.`)
    }
    if (given.getAll(name).length > 1) return refuse(name, 'It was sent more than once.')
  }
  const wrong = Object.entries(IS_VALID).find(([name, isValid]) => {
    const text = given.get(name)
    return text !== null && !isValid(text)
  })
  if (wrong !== undefined) return refuse(wrong[0], EXPECTED[wrong[0] as Name])
  const idOf = (name: Name): bigint | null => {
    const text = given.get(name)
    return text === null ? null : BigInt(text)
  }
  const timeOf = (name: Name): Date | null => readTime(given.get(name) ?? '') ?? null
  const filter = {
    siteId: idOf('site_id'),
    endpointId: idOf('endpoint_id'),
    state: given.get('state') as DeliveryState | null,
    type: given.get('type'),
    eventId: given.get('event_id'),
    from: timeOf('from'),
    to: timeOf('to'),
  }
  const after = readCursor(given.get('after') ?? '')
  const limit = Number(given.get('limit') ?? USUAL_DELIVERIES)
  return { ok: true, parameters: { filter, after, limit } }
}

const IS_VALID: Readonly<Record<Exclude<Name, 'after'>, (text: string) => boolean>> = {
  site_id: (text) => NUMBER.test(text),
  endpoint_id: (text) => NUMBER.test(text),
  state: (text) => STATES.includes(text),
  type: (text) => /^[a-z_.]{1,100}$/.test(text),
  event_id: (text) => /^[\w-]{1,100}$/.test(text),
  from: (text) => readTime(text) !== undefined,
  to: (text) => readTime(text) !== undefined,
  limit: (text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_DELIVERIES,
}

export function cursorOf({ id, position }: DeliveryPlace): string {
  return Buffer.from(`${position}.${id}`).toString('base64url')
}

/** Null for the beginning, and for a text that is no cursor. */
export function readCursor(text: string): DeliveryPlace | null {
  const [, position, id] =
    /^(\d{1,18})\.(\d{1,18})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  if (position === undefined || id === undefined) return null
  return { position: BigInt(position), id: BigInt(id) }
}

function refuse(parameter: string, detail: string): ParameterRefusal {
  return { ok: false, parameter: parameter.slice(0, 64), detail }
}
