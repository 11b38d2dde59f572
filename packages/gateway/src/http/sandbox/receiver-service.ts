import type { FastifyInstance } from 'fastify'
import type { Refusal } from '../../base/refusal.ts'
import type {
  EndpointFaults,
  FaultStore,
  SetFaults,
} from '../../usecases/webhooks/change-faults.ts'
import type { ChangeReceivers } from '../../usecases/webhooks/change-receivers.ts'
import type {
  CaughtView,
  ReceiverStore,
  ReceiverView,
} from '../../usecases/webhooks/receiver-store.ts'
import { readEndpoint, readFaults } from './fault-request.ts'
import {
  readCaughtFilter,
  readPlan,
  readReceiver,
  readTypes,
  RECEIVER_MEMBERS,
  type ReceiverAction,
} from './receiver-request.ts'
import {
  fault,
  GATE_REFUSALS,
  sandboxAddresses,
  type SandboxAnswer,
  type SandboxCall,
  type SandboxGateDeps,
} from './sandbox-gate.ts'
import { assertMembers } from './sandbox-request.ts'

export interface ReceiverServiceDeps extends SandboxGateDeps {
  readonly changes: ChangeReceivers
  readonly store: Pick<ReceiverStore, 'list' | 'readCaught'>
  readonly setFaults: SetFaults
  readonly faults: Pick<FaultStore, 'list'>
}

export const RECEIVER_PATH = '/sandbox/webhooks'
/** The actions that may follow the path; without one the receivers are shown. */
export const RECEIVER_ACTIONS = ['add', 'remove', 'answer', 'caught', 'faults'] as const

const REFUSED: Readonly<Record<Refusal['kind'], readonly [code: string, status: number]>> = {
  invalid: ['invalid', 400],
  forbidden: ['forbidden', 403],
  missing: ['not_found', 404],
  conflict: ['conflict', 409],
  locked: ['locked', 409],
}

/** Every code of a refusal and its HTTP status; docs/integrators/webhook-receiver.md lists them. */
export function receiverRefusals(): ReadonlyMap<string, number> {
  const own = [REFUSED.invalid, REFUSED.missing, REFUSED.conflict]
  return new Map([...Object.entries(GATE_REFUSALS), ...own, ['live_site', 409]])
}

/** Receivers of webhooks in the sandbox, for integrators. */
export function receiverService(app: FastifyInstance, deps: ReceiverServiceDeps): void {
  const { changes, faults, setFaults, store } = deps
  const actions: Readonly<Record<ReceiverAction, (call: SandboxCall) => Promise<SandboxAnswer>>> = {
    async show({ site }) {
      const [receivers, endpoints] = await Promise.all([store.list(site.id), faults.list(site.id)])
      return done({
        site: Number(site.id),
        receivers: receivers.map(shown),
        endpoints: endpoints.map(shownFaults),
      })
    },
    async faults({ body, site, user }) {
      const endpoint = readEndpoint(body)
      const set = await setFaults(site.id, endpoint, readFaults(body), actorOf(user))
      if (!set.ok) return refusal(set)
      const all = await faults.list(site.id)
      const changed = all.find(({ endpointId }) => endpointId === endpoint)
      return done(changed === undefined ? {} : shownFaults(changed))
    },
    async add({ body, site, user }) {
      const made = await changes.add(site.id, readTypes(body), actorOf(user))
      if (!made.ok) return refusal(made)
      const { endpointId, id, secret, url } = made.added
      return done({ receiver: id, url, endpoint: Number(endpointId), secret: secret.reveal() })
    },
    async remove({ body, site, user }) {
      const removed = await changes.remove(site.id, readReceiver(body), actorOf(user))
      return removed.ok ? done({ removed: true }) : refusal(removed)
    },
    async answer({ body, site, user }) {
      const id = readReceiver(body)
      const set = await changes.setAnswer(site.id, id, readPlan(body), actorOf(user))
      if (!set.ok) return refusal(set)
      const receiver = (await store.list(site.id)).find((one) => one.id === id)
      return done(receiver === undefined ? {} : shown(receiver))
    },
    async caught({ body, site }) {
      const filter = readCaughtFilter(body)
      const rows = await store.readCaught(site.id, filter)
      const last = rows.length < filter.limit ? undefined : rows.at(-1)
      return done({
        site: Number(site.id),
        caught: rows.map(shownCaught),
        next: last === undefined ? null : last.id.toString(),
      })
    },
  }
  const serve = sandboxAddresses(app, deps, 'the receivers')
  const put = (url: string, action: ReceiverAction): void =>
    serve(url, (call) => {
      assertMembers(call.body, RECEIVER_MEMBERS[action])
      return actions[action](call)
    })
  put(RECEIVER_PATH, 'show')
  for (const action of RECEIVER_ACTIONS) put(`${RECEIVER_PATH}/${action}`, action)
}

function actorOf({ username }: SandboxCall['user']): { readonly actor: string } {
  return { actor: `api:${username}` }
}

function done(body: object): SandboxAnswer {
  return { status: 200, body }
}

function refusal({ code: own, faults, field = '', kind }: Refusal): SandboxAnswer {
  const [code, status] = REFUSED[kind]
  return fault(status, field, own ?? code, faults.join(' '))
}

function shown({ createdAt, endpointId, id, plan, url }: ReceiverView): object {
  const { delayMs, left, manner, retryAfterS, status } = plan
  return {
    receiver: id,
    url,
    endpoint: Number(endpointId),
    created: createdAt.toISOString(),
    answer: { manner, status, retryAfter: retryAfterS, delay: delayMs / 1_000, count: left },
  }
}

function shownFaults({ endpointId, faults, url }: EndpointFaults): object {
  return {
    endpoint: Number(endpointId),
    url,
    faults: faults.map(({ left, ...fault }) => ({ ...fault, count: left })),
  }
}

function shownCaught(caught: CaughtView): object {
  const { at, body, bodyBytes, eventId, eventType, headers, manner, siteAt, status } = caught
  return {
    id: caught.id.toString(),
    receiver: caught.receiverId,
    time: at.toISOString(),
    siteTime: siteAt.toISOString(),
    event: eventId,
    type: eventType,
    signature: caught.verdict,
    headers: Object.fromEntries(headers),
    body,
    bytes: bodyBytes,
    answer: { manner, status },
  }
}
