import assert from 'node:assert/strict'
import { eventually } from './eventually.ts'
import { credentials, type RunningGateway } from './running-gateway.ts'

/** A receiver of the sandbox right after it was added. */
export interface AddedReceiver {
  readonly receiver: string
  readonly url: string
  readonly endpoint: number
  readonly secret: string
}

/** A request that a receiver caught. */
export interface Caught {
  readonly id: string
  readonly receiver: string
  readonly time: string
  readonly siteTime: string
  readonly event: string
  readonly type: string
  readonly signature: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly bytes: number
  readonly answer: { readonly manner: string; readonly status: number }
}

export interface SandboxAnswer<Body> {
  readonly status: number
  readonly body: Body & {
    readonly error?: { readonly code: string; readonly field?: string; readonly message: string }
  }
}

type Site = 1001 | 1002 | 1003

/** Asks /sandbox/webhooks for a demo site. `action`: what stands behind the address, or ''. */
export async function sandboxWebhooks<Body extends object>(
  { baseUrl }: Pick<RunningGateway, 'baseUrl'>,
  action: string,
  members: Readonly<Record<string, unknown>> = {},
  site: Site = 1001,
): Promise<SandboxAnswer<Body>> {
  const { REQ_USERNAME: username, REQ_PASSWORD: password } = credentials(site)
  const path = `/sandbox/webhooks${action === '' ? '' : `/${action}`}`
  const response = await fetch(new URL(path, baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password, site, ...members }),
  })
  const body = (await response.json()) as SandboxAnswer<Body>['body']
  return { status: response.status, body }
}

/** Adds a receiver of these types; of all types when none is named. */
export async function addReceiver(
  gateway: Pick<RunningGateway, 'baseUrl'>,
  types: readonly string[] = [],
  site: Site = 1001,
): Promise<AddedReceiver> {
  const { body, status } = await sandboxWebhooks<AddedReceiver>(gateway, 'add', { types }, site)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** The requests that a receiver caught, the oldest first. */
export async function caughtBy(
  gateway: Pick<RunningGateway, 'baseUrl'>,
  receiver: string,
): Promise<readonly Caught[]> {
  const asked = { receiver, limit: 100 }
  const { body } = await sandboxWebhooks<{ caught: readonly Caught[] }>(gateway, 'caught', asked)
  return body.caught.toReversed()
}

/** Waits until a receiver caught so many requests. */
export function untilCaught(
  gateway: Pick<RunningGateway, 'baseUrl'>,
  receiver: string,
  count: number,
): Promise<readonly Caught[]> {
  return eventually(`the receiver caught ${count} requests`, async () => {
    const caught = await caughtBy(gateway, receiver)
    return caught.length >= count ? caught : null
  })
}
