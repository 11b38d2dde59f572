import type { Secret } from '../../base/secret.ts'
import type { Access, Site } from '../merchants/merchant-directory.ts'
import { createAttemptsUnderWay } from './attempts-under-way.ts'
import type { StoredApiUser } from './login-ports.ts'
import { createSlowLogin, type SlowLoginDeps } from './slow-login.ts'

export type Authenticate = (
  username: string,
  password: Secret,
  siteId: string,
  address: string,
) => Promise<Access>

/** No site has this number. */
const NO_SITE = -1n

/**
 * Lets a caller in, checking lock, password, user and site in this order. A remembered password is
 * let in without a query. Everybody else goes the slow way, which takes as long for each refusal,
 * whether or not there was anything to verify.
 *
 * Throws LoginsBusyError when too many wait for the slow way already.
 */
export function createAuthenticate(deps: SlowLoginDeps): Authenticate {
  const { directory, memory, attempts } = deps
  const underWay = createAttemptsUnderWay()
  const logInSlowly = createSlowLogin(deps)

  return async (username, password, wantedSite, address) => {
    const digest = memory.digestOf(password)
    const siteId = wantedSite === '0' ? null : siteNumber(wantedSite)
    let userWasRead = false
    let site: Site | null | undefined
    for (;;) {
      const locked = attempts.isLocked(username, address)
      if (locked !== false && (await locked)) return { kind: 'refused', refusal: 'throttled' }
      // From here to the end nothing is awaited without starting again. The result of another
      // request of the same user must be known before its password counts.
      const seen = directory.recallUser(username)
      const remembered = seen === undefined ? null : memory.find(seen.user.passwords, digest)
      const ahead = underWay.ahead(username, address, remembered === null ? digest : null)
      if (ahead !== undefined) {
        await ahead
        continue
      }
      if (seen?.fresh === false && !userWasRead) {
        userWasRead = true
        await directory.readUser(username)
        continue
      }
      if (seen?.fresh === true && remembered?.as === 'let in' && mayCallFrom(seen.user, address)) {
        const { user } = seen
        const { password: used } = remembered
        if (memory.isUseToNote(used)) void deps.noteUse(user, used).catch(ignore)
        if (siteId === null) return { kind: 'granted', user, site: null }
        // Null is what was read already: no such site.
        if (site === undefined) site = directory.recallSite(user.merchantId, siteId)
        if (site === undefined) {
          site = await directory.readSite(user.merchantId, siteId)
          continue
        }
        if (site !== null) return { kind: 'granted', user, site }
      }
      const user = userWasRead && seen?.fresh === true ? seen.user : undefined
      const login = { username, password, digest, siteId, address, user, site }
      return underWay.track(username, address, digest, (counted) => logInSlowly(login, counted))
    }
  }
}

/** A use that could not be noted: the next one is noted an hour later. */
function ignore(): void {}

function mayCallFrom(user: StoredApiUser, address: string): boolean {
  return user.state === 'enabled' && user.isAllowedFrom(address)
}

function siteNumber(text: string): bigint {
  return /^\d{1,18}$/.test(text) ? BigInt(text) : NO_SITE
}
