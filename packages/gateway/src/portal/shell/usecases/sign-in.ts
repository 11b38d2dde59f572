import { refused, type Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import { DECOY_HASH } from '../../../usecases/logins/decoy-hash.ts'
import { LOCKED } from './portal-user.ts'
import type { SignIn, SignInDeps, SignInUser, StoredUser } from './sign-in-ports.ts'

const WRONG = refused('invalid', 'Wrong e-mail or password.', {
  code: 'wrong_password',
})
const WRONG_CODE = refused(
  'invalid',
  'The code is wrong or was already used. Wait for the next code.',
  { field: 'code', code: 'wrong_code' },
)

/** Signing in, step by step. */
export function createSignIn<User extends SignInUser>(deps: SignInDeps<User>): SignIn<User> {
  const { store, digest, journal, names, noAccess } = deps

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
  ): Promise<Result<{ readonly found: StoredUser<User> }>> {
    const email = typed.trim().toLowerCase()
    const verdict = await judge(email, password, address)
    if (verdict === null) return LOCKED
    const { found, right } = verdict
    const event = { email, user: found?.user ?? null, address }
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
    journal.failed(event, noAccess[found.state].reason)
    return refused('forbidden', noAccess[found.state].fault)
  }

  async function takesCode(
    { user, secondFactor }: StoredUser<User>,
    text: string,
  ): Promise<'code' | 'recovery code' | null> {
    const code = text.replace(/[\s-]/g, '').toUpperCase()
    if (secondFactor === null) return null
    if (!/^\d{6}$/.test(code)) {
      return (await store.takeRecoveryCode(user.id, digest(code))) ? 'recovery code' : null
    }
    const step = await deps.codeStep(secondFactor, user.id, code)
    return step !== null && (await store.takeStep(user.id, step)) ? 'code' : null
  }

  return {
    async signIn(email, password, from) {
      const verified = await verify(email, password, from.address)
      if (!verified.ok) return verified
      const { user, passwordHash, secondFactor } = verified.found
      const token = deps.randomToken()
      const started = await store.startSession(
        {
          userId: user.id,
          tokenDigest: digest(token),
          csrfToken: deps.randomToken(),
          ...from,
        },
        passwordHash ?? '',
        secondFactor === null
          ? [names.entry(user, 'signed_in', from.address, { factors: ['password'] })]
          : [],
      )
      return started ? { ok: true, token } : WRONG
    },

    async giveCode(sessionId, user, code, address) {
      const verdict = await deps.judgeCode(user.id.toString(), '', async () => {
        const found = await store.findById(user.id)
        const taken = found === null ? null : await takesCode(found, code)
        return { taken, right: taken !== null }
      })
      if (verdict === null) return LOCKED
      const event = { email: user.email, user, address }
      if (verdict.taken === null) {
        journal.failed(event, 'wrong code')
        if (verdict.locks) journal.locked(event, verdict.failures)
        return WRONG_CODE
      }
      const factors = ['password', verdict.taken]
      const entry = names.entry(user, 'signed_in', address, { factors })
      const used = names.entry(user, 'recovery_code_used', address, {})
      const token = deps.randomToken()
      await store.raiseSession(
        sessionId,
        { tokenDigest: digest(token), csrfToken: deps.randomToken() },
        verdict.taken === 'code' ? [entry] : [used, entry],
      )
      return { ok: true, token }
    },

    async checkPassword(user, password, address) {
      const verified = await verify(user.email, password, address)
      if (verified.ok) return { ok: true }
      if (verified.code !== 'wrong_password') return verified
      return refused('invalid', 'Wrong password.', {
        field: 'password',
        code: 'wrong_password',
      })
    },

    signOut: (sessionId, user, address) =>
      store.endSession(sessionId, [names.entry(user, 'signed_out', address, {})]),
  }
}
