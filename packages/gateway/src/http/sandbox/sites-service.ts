import type { FastifyInstance } from 'fastify'
import type { Refusal } from '../../base/refusal.ts'
import type { Secret } from '../../base/secret.ts'
import type { ThrowawaySites, MadeSite } from '../../usecases/merchants/throwaway-sites.ts'
import {
  fault,
  sandboxAddresses,
  type SandboxAnswer,
  type SandboxCall,
  type SandboxGateDeps,
} from './sandbox-gate.ts'
import { assertMembers, SandboxRequestError, type Body } from './sandbox-request.ts'

export interface SitesServiceDeps extends SandboxGateDeps {
  readonly sites: ThrowawaySites
  /** Brings the caller's site to a fresh start; done: false if it needs another call. */
  readonly resetSite: (call: {
    readonly merchantId: bigint
    readonly siteId: bigint
    readonly by: string
  }) => Promise<{ readonly done: boolean; readonly counts: object } | Refusal>
}

export const SITES_PATH = '/sandbox/sites'
export const RESET_PATH = '/sandbox/reset'
const DEFAULT_DAYS = 7

const REFUSED = { missing: 404, conflict: 409, locked: 409, invalid: 400, forbidden: 403 } as const

/** Sites that tests make for themselves, and the fresh start of a test site. */
export function sitesService(app: FastifyInstance, deps: SitesServiceDeps): void {
  const serve = sandboxAddresses(app, deps, 'the site')
  serve(SITES_PATH, make)
  serve(`${SITES_PATH}/:id`, end, 'DELETE')
  serve(RESET_PATH, reset)

  async function make({ body, site, user }: SandboxCall): Promise<SandboxAnswer> {
    assertMembers(body, ['days'])
    const like = { merchantId: site.merchantId, siteId: site.id }
    const made = await deps.sites.make(like, readDays(body), authorOf(user.username))
    if (!made.ok) return refusalOf(made)
    return { status: 201, body: shown(made.site, made.tokenKey, user.username) }
  }

  async function end({ body, id, site, user }: SandboxCall): Promise<SandboxAnswer> {
    assertMembers(body, [])
    if (!/^[1-9][0-9]{0,17}$/.test(id)) {
      return fault(404, 'id', 'unknown', 'The address ends with no number of a site.')
    }
    const ended = await deps.sites.end(site.merchantId, BigInt(id), authorOf(user.username))
    return ended.ok ? { status: 200, body: { site: Number(id), ended: true } } : refusalOf(ended)
  }

  async function reset({ body, site, user }: SandboxCall): Promise<SandboxAnswer> {
    assertMembers(body, [])
    const { id: siteId, merchantId } = site
    const by = authorOf(user.username).actor
    const result = await deps.resetSite({ merchantId, siteId, by })
    if (!('done' in result)) return refusalOf(result)
    const { counts, done } = result
    return { status: done ? 200 : 202, body: { site: Number(siteId), reset: done, done: counts } }
  }
}

function authorOf(username: string): { readonly actor: string; readonly address: string } {
  return { actor: `api:${username}`, address: '' }
}

function readDays({ days = DEFAULT_DAYS }: Body): number {
  if (typeof days === 'number') return days
  throw new SandboxRequestError('days', 'days is no number. Expected a whole one, such as 7.')
}

function refusalOf({ code, faults, field, kind }: Refusal): SandboxAnswer {
  const name = code ?? (kind === 'missing' ? 'unknown' : 'invalid')
  return fault(REFUSED[kind], field ?? '', name, faults.join(' '))
}

/** The values that a test needs to use the site. */
function shown(site: MadeSite, tokenKey: Secret, username: string): object {
  const { accountId, currencies, expiresAt, siteId } = site
  return {
    site: Number(siteId),
    account: Number(accountId),
    currencies,
    tokenKey: tokenKey.reveal(),
    username,
    clock: { site: Number(siteId), ownClock: true },
    expires: expiresAt.toISOString(),
  }
}
