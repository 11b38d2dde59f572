import type { Secret } from '../../base/secret.ts'
import type { Access, AccessRefusal, Site } from '../merchants/merchant-directory.ts'
import { LoginsBusyError } from './attempts-under-way.ts'
import { DECOY_HASH } from './decoy-hash.ts'
import type {
  LoginAttempts,
  LoginDirectory,
  LoginEvent,
  LoginFailure,
  LoginJournal,
  OpenAttempt,
  PasswordMemory,
  StoredApiUser,
  StoredPassword,
  VerificationPlace,
} from './login-ports.ts'

export interface SlowLoginDeps {
  readonly directory: LoginDirectory
  readonly memory: PasswordMemory
  readonly attempts: LoginAttempts
  readonly journal: LoginJournal
  /** Throws LoginsBusyError for a login without a place among those that wait. */
  readonly enter: (address: string) => VerificationPlace
  /** The position of the hash that the password has, -1 for none; as slow for one as for two. */
  readonly matchPassword: (password: Secret, hashes: readonly string[]) => Promise<number>
  readonly noteUse: (user: StoredApiUser, password: StoredPassword) => Promise<void>
  readonly pause: (ms: number) => Promise<void>
}

export interface SlowLogin {
  readonly username: string
  readonly password: Secret
  readonly digest: Buffer
  /** Null where none is asked for. */
  readonly siteId: bigint | null
  readonly address: string
  /** The rows that the request has already read from the database. */
  readonly user: StoredApiUser | undefined
  readonly site: Site | null | undefined
}

interface Examined {
  readonly event: LoginEvent
  readonly user: StoredApiUser | null
  readonly site: Site | null
  /** Undefined where none of the user's is right. */
  readonly password: StoredPassword | undefined
}

/**
 * While as many of a caller's attempts are being verified as the limit allows, another one waits.
 */
const LOOK_AGAIN_EVERY_MS = 25
const WAIT_FOR_OTHERS_MS = 10_000

/**
 * Counts an attempt, verifies its password, and closes the attempt. Every refusal except the lock's
 * does the same work: one user and one site read, one slow verification, one attempt counted and
 * closed. A right password that is refused for another reason uncounts its attempt.
 */
export function createSlowLogin(
  deps: SlowLoginDeps,
): (login: SlowLogin, counted: () => void) => Promise<Access> {
  const { directory, memory, attempts, journal } = deps

  async function begin({ username, address }: SlowLogin): Promise<OpenAttempt | null> {
    for (let waitedMs = 0; waitedMs < WAIT_FOR_OTHERS_MS; waitedMs += LOOK_AGAIN_EVERY_MS) {
      const begun = await attempts.begin(username, address)
      if (begun === 'locked') return null
      if (begun !== 'full') return begun
      await deps.pause(LOOK_AGAIN_EVERY_MS)
    }
    return null
  }

  /** Reads and verifies; both are done for every outcome. */
  async function examine({
    username,
    password,
    siteId,
    address,
    ...read
  }: SlowLogin): Promise<Examined> {
    const user = read.user ?? (await directory.readUser(username))
    const site =
      siteId === null || read.site !== undefined
        ? (read.site ?? null)
        : await directory.readSite(user?.merchantId ?? NO_MERCHANT, siteId)
    const live = user?.passwords ?? []
    const hashes = live.length > 0 ? live.map(({ hash }) => hash) : [DECOY_HASH]
    const matching = live[await deps.matchPassword(password, hashes)]
    return { event: { username, user, address }, user, site, password: matching }
  }

  async function verify(login: SlowLogin, attempt: OpenAttempt): Promise<Access> {
    let examined: Examined
    try {
      examined = await examine(login)
    } catch (error) {
      // The caller learned nothing, so it is no failure. If this call fails as well, it stays one.
      await attempts.withdraw(attempt).catch(() => undefined)
      throw error
    }
    const { event, user, site, password } = examined
    if (user === null || password === undefined || !user.isAllowedFrom(login.address)) {
      const { failures, locked } = await attempts.fail(attempt)
      journal.failed(
        event,
        user === null
          ? 'unknown user'
          : password === undefined
            ? 'wrong password'
            : 'address not allowed',
      )
      if (locked) journal.locked(event, failures)
      const merchantId = user?.merchantId ?? null
      return { kind: 'refused', refusal: 'credentials_wrong', merchantId }
    }
    const refused = refusalOf(user, login.siteId === null || site !== null)
    if (refused !== null) {
      memory.learn(password, login.digest, 'right')
      await attempts.withdraw(attempt)
      journal.failed(event, refused.reason)
      return { kind: 'refused', refusal: refused.refusal, merchantId: user.merchantId }
    }
    await Promise.all([
      attempts.withdraw(attempt),
      journal.verified(event, password),
      deps.noteUse(user, password),
    ])
    // Not before the login is on record: what is remembered is let in without another entry.
    memory.learn(password, login.digest, 'let in')
    return { kind: 'granted', user, site }
  }

  return async (login, counted) => {
    const place = deps.enter(login.address)
    try {
      const attempt = await begin(login)
      counted()
      if (attempt === null) return { kind: 'refused', refusal: 'throttled' }
      const access = await place
        .run(() => verify(login, attempt))
        .catch(async (error: unknown) => {
          // It gave way to another login, unverified, so it is no failure.
          if (error instanceof LoginsBusyError) await attempts.withdraw(attempt)
          throw error
        })
      if (access.kind === 'granted') place.proven()
      return access
    } finally {
      place.leave()
    }
  }
}

/** The merchant of an unknown user: the lookup of its sites takes as long and finds none. */
const NO_MERCHANT = 0n

/** Why a login with the right password is refused all the same. */
function refusalOf(
  user: StoredApiUser,
  hasSite: boolean,
): { readonly refusal: AccessRefusal; readonly reason: LoginFailure } | null {
  if (user.state === 'disabled') return { refusal: 'user_inactive', reason: 'user disabled' }
  if (user.state === 'idle') return { refusal: 'user_inactive', reason: 'user idle' }
  if (user.state === 'merchant disabled')
    return { refusal: 'user_inactive', reason: 'merchant disabled' }
  return hasSite ? null : { refusal: 'site_unknown', reason: 'site not of the merchant' }
}
