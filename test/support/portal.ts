import type { Role } from '@tollgate/portal-contract/rights'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cheapHash } from './cheap-hash.ts'
import type { RunningGateway } from './running-gateway.ts'

export const OWNER = { email: 'owner@tollgate.test', password: 'Sandbox-4.14-portal' } as const
/** Of the other merchant. */
export const OTHER_OWNER = { email: 'owner@other.test', password: 'Sandbox-4.14-portal' } as const

export interface PortalAnswer {
  readonly status: number
  /** The JSON that came back. */
  readonly body: any // oxlint-disable-line no-explicit-any -- tests look into it as they please
  readonly headers: Headers
  readonly text: string
}

/** A signed-in portal user, who calls the portal's API as a browser does. */
export interface SignedInUser {
  readonly session: PortalAnswer['body']
  readonly cookie: string
  get(path: string): Promise<PortalAnswer>
  post(path: string, body?: unknown): Promise<PortalAnswer>
  put(path: string, body?: unknown): Promise<PortalAnswer>
  remove(path: string): Promise<PortalAnswer>
}

/** Signs in at the portal's API; by default as the demo merchant's owner. */
export async function signIn(
  { baseUrl }: Pick<RunningGateway, 'baseUrl'>,
  portalUser: { readonly email: string; readonly password: string } = OWNER,
): Promise<SignedInUser> {
  const url = (path: string): URL => new URL(`/portal/api${path}`, baseUrl)
  const response = await fetch(url('/session'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: portalUser.email, password: portalUser.password }),
  })
  assert.equal(response.status, 200, await response.clone().text())
  const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';')
  const session = (await response.json()) as SignedInUser['session']
  const send = async (method: string, path: string, body?: unknown): Promise<PortalAnswer> => {
    const answer = await fetch(url(path), {
      method,
      headers: {
        cookie,
        ...(method === 'GET' ? {} : { 'x-csrf-token': String(session.csrfToken) }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
    return {
      status: answer.status,
      body: isJson ? JSON.parse(text) : null,
      headers: answer.headers,
      text,
    }
  }
  return {
    session,
    cookie,
    get: (path) => send('GET', path),
    post: (path, body = {}) => send('POST', path, body),
    put: (path, body = {}) => send('PUT', path, body),
    remove: (path) => send('DELETE', path),
  }
}

/** Adds a portal user of the demo merchant with a role, who can sign in at once. */
export async function addPortalUser(
  { pool }: Pick<RunningGateway, 'pool'>,
  role: Role,
  more: {
    readonly refundLimit?: { readonly minor: bigint; readonly currency: string }
    readonly merchantId?: number
  } = {},
): Promise<{ readonly email: string; readonly password: string; readonly id: bigint }> {
  const email = `${role}-${randomBytes(4).toString('hex')}@tollgate.test`
  const password = `Portal-${randomBytes(8).toString('hex')}`
  const { rows } = await pool.query<{ id: string }>(
    `insert into portal_users (merchant_id, email, name, role, password_hash, refund_limit_minor, refund_limit_currency)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    [
      more.merchantId ?? 1,
      email,
      `Pat ${role}`,
      role,
      await cheapHash(password),
      more.refundLimit?.minor ?? null,
      more.refundLimit?.currency ?? null,
    ],
  )
  return { email, password, id: BigInt(rows[0]?.id ?? 0) }
}
