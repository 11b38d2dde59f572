import { mayDo, RIGHTS, type Right } from '@tollgate/portal-contract/rights'
import { refused, type Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { VerificationPlace } from '../../../usecases/logins/login-ports.ts'
import type { JudgeGuess } from './guesses.ts'
import { NO_ACCESS, type SignInFailure } from './no-access.ts'
import {
  LOCKED,
  portalUserActor,
  portalUserObject,
  type PortalUser,
  type PortalSession,
  type SessionView,
  type MerchantSummary,
  type UnfinishedView,
  type Whence,
} from './portal-user.ts'

/** A portal user as their sign-in is judged. */
export interface StoredPortalUser {
  readonly portalUser: PortalUser
  /** Null where no password was set yet. */
  readonly passwordHash: string | null
  readonly state: 'active' | 'idle' | 'disabled' | 'merchant disabled'
  readonly secondFactor: StoredSecondFactor | null
}

export interface StoredSecondFactor {
  readonly ciphertext: Uint8Array
}

export interface NewSession extends Whence {
  readonly portalUserId: bigint
  /** The digest that finds the cookie's value. */
  readonly tokenDigest: Buffer
  readonly csrfToken: string
}

/** Stores users and their sessions. Entries are written in the transaction of the operation. */
export interface PortalUsersStore {
  /** Null if no user has that address. */
  findByEmail(email: string): Promise<StoredPortalUser | null>
  findById(id: bigint): Promise<StoredPortalUser | null>
  /**
   * False when the password is not the judged one any more, or the portal user was disabled
   * meanwhile.
   */
  startSession(
    session: NewSession,
    passwordHash: string,
    entries: readonly AuditEntry[],
  ): Promise<boolean>
  /** The second factor was shown: the session goes on under another token. */
  raiseSession(
    id: bigint,
    tokens: { readonly tokenDigest: Buffer; readonly csrfToken: string },
    entries: readonly AuditEntry[],
  ): Promise<void>
  /**
   * The open session, marked as seen if the user was active. Null when there is none, or it was
   * left idle for too long.
   */
  findSession(tokenDigest: Buffer, isSeen: boolean): Promise<PortalSession | null>
  endSession(id: bigint, entries: readonly AuditEntry[]): Promise<void>
  /** False when a code of this time step or a later one was taken before. */
  takeStep(portalUserId: bigint, step: bigint): Promise<boolean>
  /** False when there is no such code, or it was used. */
  takeRecoveryCode(portalUserId: bigint, digest: Buffer): Promise<boolean>
  readMerchant(merchantId: bigint): Promise<MerchantSummary>
}

/** Frequent sign-in events; entries beyond a bound are counted. */
export interface SignInJournal {
  failed(event: SignInEvent, reason: SignInFailure): void
  locked(event: SignInEvent, failures: number): void
}

export interface SignInEvent {
  /** As typed, which may be anything. */
  readonly email: string
  /** Null if no user has that address. */
  readonly portalUser: PortalUser | null
  readonly address: string
}

export interface PortalSessionsDeps {
  readonly store: PortalUsersStore
  readonly matchPassword: (password: Secret, hashes: readonly string[]) => Promise<number>
  /** Throws LoginsBusyError for a sign-in without a place among those that wait. */
  readonly enter: (address: string) => VerificationPlace
  /** By portal user and address. */
  readonly judgePassword: JudgeGuess
  /** By portal user alone: who guesses codes knows the password. */
  readonly judgeCode: JudgeGuess
  /** The time step of a code, or null for a wrong one. */
  readonly codeStep: (
    secondFactor: StoredSecondFactor,
    portalUserId: bigint,
    code: string,
  ) => Promise<bigint | null>
  readonly journal: SignInJournal
  /** A random text that cannot be guessed. */
  readonly randomToken: () => string
  readonly digest: (token: string) => Buffer
  readonly sandbox: boolean
}

export interface PortalSessions {
  /** The new cookie's value. Refusals of unknown addresses and wrong passwords are alike. */
  signIn(email: string, password: Secret, from: Whence): Promise<Result<{ readonly token: string }>>
  /** Goes on with a code of the second factor, or a recovery code; gives another cookie's value. */
  giveCode(
    session: PortalSession,
    code: string,
    address: string,
  ): Promise<Result<{ readonly token: string }>>
  /** Whether the password is that portal user's; guesses are counted. */
  checkPassword(portalUser: PortalUser, password: Secret, address: string): Promise<Result>
  /** `isSeen`: the user was active, so that the session is not idle. */
  find(token: string, isSeen: boolean): Promise<PortalSession | null>
  view(session: PortalSession): Promise<SessionView | UnfinishedView>
  signOut(session: PortalSession, address: string): Promise<void>
}

/** Verified if there is no user, or no password, so that a refusal takes as long. */
export const DECOY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$dG9sbGdhdGUgbm9ib2R5$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

const WRONG = refused('invalid', 'Wrong e-mail or password.', {
  code: 'wrong_password',
})
const WRONG_CODE = refused(
  'invalid',
  'The code is wrong or was already used. Wait for the next code.',
  { field: 'code', code: 'wrong_code' },
)

/** Signing in, step by step, and the sessions that come of it. */
export function createPortalSessions(deps: PortalSessionsDeps): PortalSessions {
  const { store, digest, journal } = deps

  /** Does the same work for each refusal: one read, one slow verification, one guess counted. */
  async function judge(email: string, password: Secret, address: string) {
    const place = deps.enter(address)
    try {
      const verdict = await deps.judgePassword(email, address, () =>
        place.run(async () => {
          const found = await store.findByEmail(email)
          const matched = await deps.matchPassword(password, [found?.passwordHash ?? DECOY_HASH])
          return { found, right: found !== null && found.passwordHash !== null && matched !== -1 }
        }),
      )
      if (verdict?.right === true) place.proven()
      return verdict
    } finally {
      place.leave()
    }
  }

  async function verify(
    typed: string,
    password: Secret,
    address: string,
  ): Promise<Result<{ readonly found: StoredPortalUser }>> {
    const email = typed.trim().toLowerCase()
    const verdict = await judge(email, password, address)
    if (verdict === null) return LOCKED
    const { found, right } = verdict
    const event = { email, portalUser: found?.portalUser ?? null, address }
    if (!right || found === null) {
      journal.failed(
        event,
        found === null
          ? 'unknown address'
          : found.passwordHash === null
            ? 'no password set'
            : 'wrong password',
      )
      if (verdict.locks) journal.locked(event, verdict.failures)
      return WRONG
    }
    if (found.state === 'active') return { ok: true, found }
    journal.failed(event, NO_ACCESS[found.state].reason)
    return refused('forbidden', NO_ACCESS[found.state].fault)
  }

  async function takesCode(
    { portalUser, secondFactor }: StoredPortalUser,
    text: string,
  ): Promise<'code' | 'recovery code' | null> {
    const code = text.replace(/[\s-]/g, '').toUpperCase()
    if (secondFactor === null) return null
    if (!/^\d{6}$/.test(code)) {
      return (await store.takeRecoveryCode(portalUser.id, digest(code))) ? 'recovery code' : null
    }
    const step = await deps.codeStep(secondFactor, portalUser.id, code)
    return step !== null && (await store.takeStep(portalUser.id, step)) ? 'code' : null
  }

  function signedIn(
    portalUser: PortalUser,
    address: string,
    factors: readonly string[],
  ): AuditEntry {
    return {
      actor: portalUserActor(portalUser),
      operation: 'portal_user.signed_in',
      object: portalUserObject(portalUser),
      merchantId: portalUser.merchantId,
      address,
      result: 'done',
      details: { factors },
    }
  }

  return {
    async signIn(email, password, from) {
      const verified = await verify(email, password, from.address)
      if (!verified.ok) return verified
      const { portalUser, passwordHash, secondFactor } = verified.found
      const token = deps.randomToken()
      const started = await store.startSession(
        {
          portalUserId: portalUser.id,
          tokenDigest: digest(token),
          csrfToken: deps.randomToken(),
          ...from,
        },
        passwordHash ?? '',
        secondFactor === null ? [signedIn(portalUser, from.address, ['password'])] : [],
      )
      return started ? { ok: true, token } : WRONG
    },

    async giveCode({ id, portalUser }, code, address) {
      const verdict = await deps.judgeCode(portalUser.id.toString(), '', async () => {
        const found = await store.findById(portalUser.id)
        const taken = found === null ? null : await takesCode(found, code)
        return { taken, right: taken !== null }
      })
      if (verdict === null) return LOCKED
      const event = { email: portalUser.email, portalUser, address }
      if (verdict.taken === null) {
        journal.failed(event, 'wrong code')
        if (verdict.locks) journal.locked(event, verdict.failures)
        return WRONG_CODE
      }
      const entry = signedIn(portalUser, address, ['password', verdict.taken])
      const used: AuditEntry = {
        ...entry,
        operation: 'portal_user.recovery_code_used',
        details: {},
      }
      const token = deps.randomToken()
      await store.raiseSession(
        id,
        { tokenDigest: digest(token), csrfToken: deps.randomToken() },
        verdict.taken === 'code' ? [entry] : [used, entry],
      )
      return { ok: true, token }
    },

    async checkPassword(portalUser, password, address) {
      const verified = await verify(portalUser.email, password, address)
      if (verified.ok) return { ok: true }
      if (verified.code !== 'wrong_password') return verified
      return refused('invalid', 'Wrong password.', {
        field: 'password',
        code: 'wrong_password',
      })
    },

    find: (token, isSeen) => store.findSession(digest(token), isSeen),

    async view({ portalUser, csrfToken, next }) {
      if (next !== null)
        return { next, portalUser: { email: portalUser.email, name: portalUser.name }, csrfToken }
      const { name, timeZone, sites } = await store.readMerchant(portalUser.merchantId)
      return {
        next: null,
        portalUser,
        merchant: { id: portalUser.merchantId, name, timeZone },
        rights: (Object.keys(RIGHTS) as Right[]).filter((right) => mayDo(portalUser.role, right)),
        sites,
        csrfToken,
        sandbox: deps.sandbox,
      }
    },

    signOut: ({ id, portalUser }, address) =>
      store.endSession(id, [
        { ...signedIn(portalUser, address, []), operation: 'portal_user.signed_out', details: {} },
      ]),
  }
}
