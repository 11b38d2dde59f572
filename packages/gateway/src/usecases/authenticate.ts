import type { Secret } from '../base/secret.ts'
import type { Access, ApiUser, Site } from './merchant-directory.ts'

export interface LoginFailures {
  isLocked(username: string, address: string): Promise<boolean>
  record(username: string, address: string): Promise<void>
}

export interface AuthenticateDeps {
  readonly findUser: (
    username: string,
  ) => Promise<(ApiUser & { readonly passwordHash: string; readonly active: boolean }) | null>
  readonly findSite: (merchantId: bigint, siteId: bigint) => Promise<Site | null>
  readonly passwordMatches: (password: Secret, hash: string) => Promise<boolean>
  /** Verified in place of an unknown user's hash, so that both take as long. */
  readonly decoyHash: string
  readonly failures: LoginFailures
}

export type Authenticate = (
  username: string,
  password: Secret,
  siteId: string,
  address: string,
) => Promise<Access>

/** Lets a caller in, checking lock, password, user and site in this order. */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  return async (username, password, siteId, address) => {
    if (await deps.failures.isLocked(username, address)) return { kind: 'refused', refusal: 'throttled' }
    const user = await deps.findUser(username)
    const matches = await deps.passwordMatches(password, user?.passwordHash ?? deps.decoyHash)
    if (user === null || !matches) {
      await deps.failures.record(username, address)
      return { kind: 'refused', refusal: 'credentials_wrong' }
    }
    if (!user.active) return { kind: 'refused', refusal: 'user_inactive' }
    if (siteId === '0') return { kind: 'granted', user, site: null }
    const site = /^\d{1,18}$/.test(siteId) ? await deps.findSite(user.merchantId, BigInt(siteId)) : null
    return site === null
      ? { kind: 'refused', refusal: 'site_unknown' }
      : { kind: 'granted', user, site }
  }
}
