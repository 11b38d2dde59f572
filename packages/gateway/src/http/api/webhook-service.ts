import type { FastifyInstance } from 'fastify'
import type { RefusalKind, Result } from '../../base/refusal.ts'
import type { AuditAuthor } from '../../usecases/audit/audit-log.ts'
import type { ChangeEndpoints } from '../../usecases/webhooks/change-endpoints.ts'
import type { EndpointView } from '../../usecases/webhooks/endpoint-store.ts'
import type { WebhookReader } from '../../usecases/webhooks/webhook-reader.ts'
import { clientAddress } from '../servers/client-address.ts'
import { takeRawBodies } from '../servers/raw-bodies.ts'
import {
  API_PATH,
  jsonAnswer,
  openApiGate,
  type ApiAnswer,
  type ApiCall,
  type ApiGate,
  type ApiGateDeps,
} from './api-gate.ts'
import { cursorOf, readCursor, readDeliveryParameters } from './delivery-parameters.ts'
import { readJsonBody } from './json-body.ts'
import { readTime } from './list-parameters.ts'
import type { ProblemName } from './problems.ts'
import { deliveryObject, endpointObject, wholeDeliveryJson } from './webhook-objects.ts'

export interface WebhookServiceDeps extends ApiGateDeps {
  readonly reader: WebhookReader
  readonly changes: ChangeEndpoints
}

export const ENDPOINTS_PATH = `${API_PATH}/webhook-endpoints`
export const DELIVERIES_PATH = `${API_PATH}/webhook-deliveries`
const BODY_LIMIT_BYTES = 16_384

/** Endpoints of webhooks and the log of deliveries, for merchants' programs. */
export function webhookService(app: FastifyInstance, deps: WebhookServiceDeps): void {
  takeRawBodies(app, BODY_LIMIT_BYTES)
  const gate = openApiGate(app, deps)
  serveEndpoints(gate, deps)
  serveOperations(gate, deps)
  serveDeliveries(gate, deps)
}

const TEXT = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const DRAFT = {
  url: { expected: 'It is the address of your program, as text.', read: TEXT },
  types: {
    expected: 'It lists types of events, or beginnings of them such as "payment.".',
    read: (value: unknown): readonly string[] | undefined =>
      Array.isArray(value) && value.length <= 200 && value.every((type) => typeof type === 'string')
        ? value
        : undefined,
  },
}
const NEW_ENDPOINT = {
  site_id: {
    expected: 'It is the number of a site, as text.',
    read: (value: unknown): bigint | undefined =>
      /^\d{1,18}$/.test(String(value)) ? BigInt(String(value)) : undefined,
  },
  ...DRAFT,
}
const RESEND = {
  since: {
    expected: 'It is a time such as 2026-11-27T09:00:00Z.',
    read: (value: unknown): Date | undefined => readTime(String(value)),
  },
}

function serveEndpoints(gate: ApiGate, { changes, reader }: WebhookServiceDeps): void {
  gate.serve(ENDPOINTS_PATH, 'WEBHOOK_ENDPOINTS', {
    async GET({ query, refuse, user }) {
      const [name] = new URLSearchParams(query).keys()
      if (name !== undefined) {
        const detail = 'The list of endpoints has no parameters.'
        return refuse('parameter-invalid', { parameter: name.slice(0, 64), detail })
      }
      const endpoints = await reader.endpoints(user.merchantId)
      return jsonAnswer(JSON.stringify({ webhook_endpoints: endpoints.map(endpointObject) }))
    },
    async POST(call) {
      const read = readJsonBody(call.request.body, NEW_ENDPOINT)
      if (!read.ok) return call.refuse('parameter-invalid', read)
      const { site_id: siteId, types = [], url } = read.members
      if (siteId === undefined) return missing(call, 'site_id')
      if (url === undefined) return missing(call, 'url')
      if (!(await reader.hasSite(call.user.merchantId, siteId))) {
        const detail = 'Your merchant has no such site.'
        return call.refuse('parameter-invalid', { parameter: 'site_id', detail })
      }
      const added = await changes.add(siteId, { url, types }, authorOf(call))
      if (!added.ok) return refusalOf(call, added)
      const secret = added.secret.reveal()
      const shown = await shownEndpoint(reader, call, added.id)
      if (shown === null) return call.refuse('not-found')
      const body = JSON.stringify({ ...endpointObject(shown), secret })
      return { ...jsonAnswer(body, { location: `${ENDPOINTS_PATH}/${added.id}` }), status: 201 }
    },
  })
  gate.serve(`${ENDPOINTS_PATH}/:id`, 'WEBHOOK_ENDPOINTS', {
    GET: (call) => onEndpoint(reader, call, () => Promise.resolve({ ok: true })),
    PATCH: (call) => {
      const read = readJsonBody(call.request.body, DRAFT)
      if (!read.ok) return Promise.resolve(call.refuse('parameter-invalid', read))
      return onEndpoint(reader, call, (siteId, id, by) =>
        changes.change(siteId, id, read.members, by),
      )
    },
    async DELETE(call) {
      const answer = await onEndpoint(reader, call, changes.remove)
      // The endpoint is gone, so there is none to show.
      return answer.problem === null ? NOTHING : answer
    },
  })
}

function serveOperations(gate: ApiGate, { changes, reader }: WebhookServiceDeps): void {
  gate.serve(`${ENDPOINTS_PATH}/:id/secret`, 'WEBHOOK_SECRET', {
    POST: (call) =>
      onEndpoint(reader, call, changes.rotate, ({ secret }) => ({
        secret: secret.reveal(),
      })),
    DELETE: (call) => onEndpoint(reader, call, changes.removeOldSecret),
  })
  for (const [word, run] of [
    ['pause', changes.pause],
    ['resume', changes.resume],
    ['test', changes.test],
  ] as const) {
    gate.serve(`${ENDPOINTS_PATH}/:id/${word}`, `WEBHOOK_${word.toUpperCase()}`, {
      POST: (call) => onEndpoint(reader, call, run),
    })
  }
  gate.serve(`${ENDPOINTS_PATH}/:id/resend`, 'WEBHOOK_RESEND', {
    POST(call) {
      const read = readJsonBody(call.request.body, RESEND)
      if (!read.ok) return Promise.resolve(call.refuse('parameter-invalid', read))
      const filter = { eventId: null, isFailedOnly: true, since: read.members.since ?? null }
      return onEndpoint(
        reader,
        call,
        (siteId, id, by) => changes.sendAgain(siteId, id, filter, by),
        ({ count }) => ({ queued: count }),
      )
    },
  })
}

function serveDeliveries(gate: ApiGate, { changes, reader }: WebhookServiceDeps): void {
  gate.serve(DELIVERIES_PATH, 'WEBHOOK_DELIVERIES', {
    async GET({ query, refuse, user }) {
      const read = readDeliveryParameters(query)
      if (!read.ok) return refuse('parameter-invalid', read)
      const { after, filter, limit } = read.parameters
      const sent = new URLSearchParams(query).get('after') ?? ''
      if (sent !== '' && readCursor(sent) === null) {
        return refuse('cursor-invalid', { parameter: 'after' })
      }
      const whole = { ...filter, merchantId: user.merchantId }
      const found = await reader.deliveries(whole, after, limit + 1)
      const shown = found.slice(0, limit)
      const last = shown.at(-1)
      const next = found.length > limit && last !== undefined ? cursorOf(last) : null
      const rows = shown.map(deliveryObject)
      return jsonAnswer(JSON.stringify({ webhook_deliveries: rows, next_cursor: next }))
    },
  })
  const find = ({ request, user }: ApiCall) => {
    const id = idOf(request.params)
    return id === null ? Promise.resolve(null) : reader.delivery(user.merchantId, id)
  }
  gate.serve(`${DELIVERIES_PATH}/:id`, 'WEBHOOK_DELIVERIES', {
    async GET(call) {
      const found = await find(call)
      return found === null ? call.refuse('not-found') : jsonAnswer(wholeDeliveryJson(found))
    },
  })
  gate.serve(`${DELIVERIES_PATH}/:id/resend`, 'WEBHOOK_RESEND', {
    async POST(call) {
      const found = await find(call)
      if (found === null) return call.refuse('not-found')
      const { endpointId, eventId, siteId } = found
      const filter = { eventId, isFailedOnly: false, since: null }
      const sent = await changes.sendAgain(siteId, endpointId, filter, authorOf(call))
      return sent.ok ? jsonAnswer(JSON.stringify({ queued: sent.count })) : refusalOf(call, sent)
    },
  })
}

const NOTHING: ApiAnswer = { status: 204, body: '', headers: {}, problem: null, parameter: '' }

/** Runs a change of the endpoint in the address, and answers it as it is afterwards. */
async function onEndpoint<Done extends object>(
  reader: WebhookReader,
  call: ApiCall,
  run: (siteId: bigint, id: bigint, by: AuditAuthor) => Promise<Result<Done>>,
  more: (done: Done) => object = () => ({}),
): Promise<ApiAnswer> {
  const id = idOf(call.request.params)
  const siteId = id === null ? null : await reader.siteOf(call.user.merchantId, id)
  if (id === null || siteId === null) return call.refuse('not-found')
  const done = await run(siteId, id, authorOf(call))
  if (!done.ok) return refusalOf(call, done)
  const shown = await shownEndpoint(reader, call, id)
  return jsonAnswer(JSON.stringify({ ...(shown && endpointObject(shown)), ...more(done) }))
}

async function shownEndpoint(
  reader: WebhookReader,
  { user }: ApiCall,
  id: bigint,
): Promise<EndpointView | null> {
  return (await reader.endpoints(user.merchantId)).find((each) => each.id === id) ?? null
}

function idOf(params: unknown): bigint | null {
  const { id = '' } = params as { readonly id?: string }
  return /^\d{1,18}$/.test(id) ? BigInt(id) : null
}

/** The actor of a call, as the audit log names it. */
function authorOf({ request, user }: ApiCall): AuditAuthor {
  return { actor: `api:${user.username}`, address: clientAddress(request) }
}

const PROBLEM_OF: Readonly<Record<RefusalKind, ProblemName>> = {
  invalid: 'parameter-invalid',
  forbidden: 'right-missing',
  missing: 'not-found',
  conflict: 'conflict',
  locked: 'rate-limited',
}

function refusalOf(
  { refuse }: ApiCall,
  { faults, field, kind }: Extract<Result, { ok: false }>,
): ApiAnswer {
  const parameter = field === undefined ? {} : { parameter: field }
  return refuse(PROBLEM_OF[kind], { detail: faults.join(' '), ...parameter })
}

function missing({ refuse }: ApiCall, parameter: string): ApiAnswer {
  return refuse('parameter-invalid', { parameter, detail: 'It is required.' })
}
