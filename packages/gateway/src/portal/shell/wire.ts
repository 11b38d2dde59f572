import type { FastifyBaseLogger } from 'fastify'
import { createHash, randomBytes } from 'node:crypto'
import { hashPassword, matchPassword } from '../../adapters/credentials/password-hash.ts'
import { passwordFaults } from '../../adapters/credentials/password-rules.ts'
import { codeStep } from '../../adapters/credentials/second-factor.ts'
import { createVerificationTurns } from '../../adapters/credentials/verification-turns.ts'
import type { AuditLogStore } from '../../adapters/postgres/audit/audit-log.ts'
import type { Database } from '../../adapters/postgres/connection/database.ts'
import { addressToCount } from '../../adapters/postgres/logins/allowed-addresses.ts'
import { createLoginAttempts } from '../../adapters/postgres/logins/login-failures.ts'
import { createRequestBuckets } from '../../adapters/postgres/logins/request-buckets.ts'
import { secondFactorBinding, type SecretSeal } from '../../adapters/vault/secret-seal.ts'
import type { Clock } from '../../base/clock.ts'
import type { Secret } from '../../base/secret.ts'
import type { GatewayConfig } from '../../config/config.ts'
import { createRequestRate } from '../../http/servers/request-rate.ts'
import { createRequestVolume } from '../../usecases/logins/request-volume.ts'
import type { PortalGuardDeps } from './portal-guard.ts'
import { createInvitationStore } from './store/invitation-store.ts'
import { createPortalUsersStore } from './store/portal-users-store.ts'
import { createSignInJournal } from './store/sign-in-journal.ts'
import { createJudgeGuess } from './usecases/guesses.ts'
import { createInvitations, type Invitations } from './usecases/invitations.ts'
import type { NewPasswordDeps } from './usecases/new-password.ts'
import { createPortalSessions, type PortalSessions } from './usecases/sessions.ts'

/**
 * Wrong passwords of a portal user from an address, or wrong codes of a portal user, in 30 minutes.
 */
const FAILURE_LIMIT = 10
/** Requests of one session, over all processes. */
const SESSION_RATE = { perSecond: 20, burst: 400 }
/** Requests of one address to a process: an office is one address. */
const ADDRESS_RATE = { perSecond: 200, burst: 3_000 }

interface SignInParts {
  readonly config: Pick<GatewayConfig, 'mode' | 'portal' | 'portalUrl'>
  readonly database: Database
  readonly audit: AuditLogStore
  /** How the audit log calls this process. */
  readonly actor: string
  readonly clock: Clock
  readonly logger: Pick<FastifyBaseLogger, 'error' | 'warn'>
  readonly monotonicMs: () => number
  readonly pause: (ms: number) => Promise<void>
  readonly seal: SecretSeal
  readonly keyedDigest: (text: string) => string
}

export interface PortalSignIn {
  readonly sessions: PortalSessions
  readonly invitations: Invitations
  /** Chooses and checks passwords of users. */
  readonly credentials: NewPasswordDeps
  /** Opens the sealed second factor of a portal user. */
  readonly openSecondFactor: (ciphertext: Uint8Array, portalUserId: bigint) => Promise<Secret>
  readonly randomToken: () => string
  readonly digest: (token: string) => Buffer
  readonly guard: Omit<PortalGuardDeps, 'sessions'>
  /** Enters what the audit log was spared, and forgets what counts no more. */
  tidy(): Promise<void>
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>
}

/** The sign-in of the portal. */
export function wirePortalSignIn(parts: SignInParts): PortalSignIn {
  const { config, database, audit, actor, clock, logger, monotonicMs, pause } = parts
  const { seal, keyedDigest } = parts
  const { pool } = database
  const lane = database.lane('sign-ins', { durable: false })
  const attemptsOf = (name: 'sign-in' | 'second factor') =>
    createLoginAttempts({ pool, lane, digest: keyedDigest }, FAILURE_LIMIT, monotonicMs, {
      name,
      minutes: 30,
    })
  const passwords = attemptsOf('sign-in')
  const journal = createSignInJournal({
    audit,
    process: actor,
    monotonicMs,
    digest: keyedDigest,
    onLost: (error) =>
      logger.error({ error: String(error) }, 'a failed sign-in could not be audited'),
  })
  const turns = createVerificationTurns(monotonicMs)
  const enter = (address: string) => turns(addressToCount(address))
  const digest = (token: string): Buffer => createHash('sha256').update(token).digest()
  const randomToken = (): string => randomBytes(32).toString('base64url')
  const open = async (ciphertext: Uint8Array, portalUserId: bigint): Promise<Secret> => {
    await seal.prepare(ciphertext)
    return seal.open(ciphertext, secondFactorBinding(portalUserId))
  }

  const sessions = createPortalSessions({
    store: createPortalUsersStore(pool, config.portal),
    matchPassword,
    enter,
    judgePassword: createJudgeGuess(passwords, pause),
    judgeCode: createJudgeGuess(attemptsOf('second factor'), pause),
    codeStep: async ({ ciphertext }, portalUserId, code) =>
      codeStep(await open(ciphertext, portalUserId), code, clock.now()),
    journal,
    randomToken,
    digest,
    sandbox: config.mode === 'sandbox',
  })
  const credentials = { enter, passwordFaults, hashPassword, matchPassword }
  const buckets = createRequestBuckets(database, SESSION_RATE)
  const allowLocally = createRequestRate(SESSION_RATE, monotonicMs)
  const allow = createRequestVolume({
    limit: SESSION_RATE,
    lease: buckets.lease,
    allowLocally,
    monotonicMs,
    onAway: (error) => {
      if (error !== null)
        logger.warn({ error: error.message }, 'portal rate limits are counted by this worker alone')
    },
  })
  const allowAddress = createRequestRate(ADDRESS_RATE, monotonicMs)

  return {
    sessions,
    invitations: createInvitations({
      ...credentials,
      store: createInvitationStore(pool),
      randomToken,
      digest,
    }),
    credentials,
    openSecondFactor: open,
    randomToken,
    digest,
    guard: {
      publicOrigin: config.portalUrl,
      allowAddress: (address) => allowAddress(addressToCount(address)),
      allowSession: (id) => allow(`portal session ${id}`),
    },
    async tidy() {
      await journal.enterLeftOut()
      await passwords.forgetOld()
      await buckets.sweep()
    },
    async idle() {
      await journal.enterLeftOut().catch(() => undefined)
      await buckets.idle()
    },
  }
}
