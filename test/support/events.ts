import formats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import assert from 'node:assert/strict'
import type { EventType } from '../../packages/gateway/src/domain/events/event-types.ts'
import { eventSchema } from '../../packages/gateway/src/http/api/event-schemas.ts'
import { eventually } from './eventually.ts'
import { credentials, type RunningGateway } from './running-gateway.ts'

/** An event as the feed answers it. */
export interface FeedEvent {
  readonly id: string
  readonly type: EventType
  readonly schema: string
  readonly timestamp: string
  readonly recorded_at: string
  readonly mode: string | null
  readonly merchant_id: string
  readonly site_id: string | null
  readonly object: { readonly type: string; readonly id: string }
  readonly sequence: number
  readonly origin: string
  readonly actor: { readonly type: string; readonly id: string } | null
  readonly req_id: string | null
  readonly data: Readonly<Record<string, unknown>>
}

export interface FeedAnswer {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly events: readonly FeedEvent[]
  readonly cursor: string
  readonly has_more: boolean
  /** Of a problem. */
  readonly problem: Readonly<Record<string, unknown>>
}

type Served = Pick<RunningGateway, 'baseUrl'>

/** One request of the feed, as the sandbox's API user of a site. */
export async function readFeed(
  { baseUrl }: Served,
  parameters: Readonly<Record<string, string>> = {},
  login: string | null = basicLogin(),
): Promise<FeedAnswer> {
  const url = new URL('/api/v1/events', baseUrl)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const response = await fetch(url, { headers: login === null ? {} : { authorization: login } })
  const body = (await response.json()) as FeedAnswer & FeedAnswer['problem']
  return {
    ...body,
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    headers: response.headers,
    problem: body,
  }
}

/** The header Authorization of the sandbox's API user of a site. */
export function basicLogin(site: 1001 | 1002 | 1003 = 1001): string {
  const { REQ_USERNAME: name, REQ_PASSWORD: password } = credentials(site)
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
}

/** All events that the feed has behind a cursor, and the cursor behind them. */
export async function readWholeFeed(
  gateway: Served,
  after = '',
  login = basicLogin(),
): Promise<{ readonly events: FeedEvent[]; readonly cursor: string }> {
  const page = await readFeed(gateway, { after, limit: '1000' }, login)
  assert.equal(page.status, 200, JSON.stringify(page.problem))
  if (!page.has_more) return { events: [...page.events], cursor: page.cursor }
  const rest = await readWholeFeed(gateway, page.cursor, login)
  return { events: [...page.events, ...rest.events], cursor: rest.cursor }
}

/** Resolves once every recorded fact has its event. */
export async function untilNumbered({ pool }: Pick<RunningGateway, 'pool'>): Promise<void> {
  await eventually('every fact has its event', async () => {
    const { rowCount } = await pool.query('select from event_outbox limit 1')
    return rowCount === 0
  })
}

/** The events of one object, in the sequence of the feed. */
export async function eventsOf(
  gateway: Pick<RunningGateway, 'baseUrl' | 'pool'>,
  object: string,
): Promise<FeedEvent[]> {
  await untilNumbered(gateway)
  const { events } = await readWholeFeed(gateway)
  return events.filter((event) => `${event.object.type} ${event.object.id}` === object)
}

const ajv = new Ajv2020({ allErrors: true })
formats.default(ajv)
const validators = new Map<string, ReturnType<typeof ajv.compile>>()

/** Fails unless the event is what its schema says, and nothing more. */
export function assertSchema(event: FeedEvent | undefined): asserts event is FeedEvent {
  assert.ok(event !== undefined, 'there is no such event')
  let validate = validators.get(event.type)
  if (validate === undefined) {
    validate = ajv.compile(closed(eventSchema(event.type)) as object)
    validators.set(event.type, validate)
  }
  assert.ok(validate(event), `${JSON.stringify(event)}\n${ajv.errorsText(validate.errors)}`)
}

/** The same schema without room for other members. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.entries(schema).map(([name, part]) => [name, closed(part)])
  const result = Object.fromEntries(parts) as Record<string, unknown>
  return result['type'] === 'object' && 'properties' in result
    ? { ...result, additionalProperties: false }
    : result
}
