import { mayDo, RIGHTS, type Right } from '../../domain/portal/rights.ts'
import type { Secret } from '../../base/secret.ts'
import type { PortalPerson, PortalSession, SessionView, SiteSummary } from './person.ts'

/** Where people and their sessions are kept. */
export interface PeopleStore {
  /** Null for nobody of that address who may sign in. */
  findByEmail(email: string): Promise<{ readonly person: PortalPerson; readonly passwordHash: string } | null>
  /** Begins a session; `tokenDigest` is what the cookie's value is found by. */
  startSession(session: {
    readonly personId: bigint
    readonly tokenDigest: Buffer
    readonly csrfToken: string
    readonly address: string
    readonly browser: string
  }): Promise<void>
  /** The open session; seen now. Null when there is none, or it was left idle for too long. */
  findSession(tokenDigest: Buffer): Promise<PortalSession | null>
  endSession(id: bigint): Promise<void>
  readMerchant(merchantId: bigint): Promise<{ readonly name: string; readonly sites: readonly SiteSummary[] }>
}

export interface PortalSessionsDeps {
  readonly store: PeopleStore
  readonly matchPassword: (password: Secret, hashes: readonly string[]) => Promise<number>
  /** A random text that can't be guessed. */
  readonly randomToken: () => string
  readonly digest: (token: string) => Buffer
  readonly sandbox: boolean
}

export interface PortalSessions {
  /** The new cookie's value; null for a refusal, which never says why. */
  signIn(
    email: string,
    password: Secret,
    from: { readonly address: string; readonly browser: string },
  ): Promise<string | null>
  find(token: string): Promise<PortalSession | null>
  view(session: PortalSession): Promise<SessionView>
  signOut(session: PortalSession): Promise<void>
}

/** Compared with where there is nobody, so that a refusal takes as long. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$dG9sbGdhdGUgbm9ib2R5$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

export function createPortalSessions(deps: PortalSessionsDeps): PortalSessions {
  const { store, digest } = deps
  return {
    async signIn(email, password, from) {
      const found = await store.findByEmail(email.trim().toLowerCase())
      const matched = await deps.matchPassword(password, [found?.passwordHash ?? NOBODY])
      if (found === null || matched === -1) return null
      const token = deps.randomToken()
      await store.startSession({
        personId: found.person.id,
        tokenDigest: digest(token),
        csrfToken: deps.randomToken(),
        ...from,
      })
      return token
    },
    find: (token) => store.findSession(digest(token)),
    async view({ person, csrfToken }) {
      const { name, sites } = await store.readMerchant(person.merchantId)
      return {
        person,
        merchant: { id: person.merchantId, name },
        rights: (Object.keys(RIGHTS) as Right[]).filter((right) => mayDo(person.role, right)),
        sites,
        csrfToken,
        sandbox: deps.sandbox,
      }
    },
    signOut: ({ id }) => store.endSession(id),
  }
}
