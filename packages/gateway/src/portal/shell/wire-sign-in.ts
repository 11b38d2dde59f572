import type { FastifyBaseLogger } from 'fastify'
import { createHash, randomBytes } from 'node:crypto'
import { hashPassword, matchPassword } from '../../adapters/credentials/password-hash.ts'
import { passwordFaults } from '../../adapters/credentials/password-rules.ts'
import { codeStep, generateSecondFactor } from '../../adapters/credentials/second-factor.ts'
import { createVerificationTurns } from '../../adapters/credentials/verification-turns.ts'
import type { AccessMetrics, UserKind } from '../../adapters/metrics/access-metrics.ts'
import type { AuditLogStore } from '../../adapters/postgres/audit/audit-log.ts'
import type { Database } from '../../adapters/postgres/connection/database.ts'
import { addressToCount } from '../../adapters/postgres/logins/allowed-addresses.ts'
import {
  createLoginAttempts,
  type AttemptsKind,
} from '../../adapters/postgres/logins/login-failures.ts'
import { createRequestBuckets } from '../../adapters/postgres/logins/request-buckets.ts'
import type { SecretSeal } from '../../adapters/vault/secret-seal.ts'
import type { Clock } from '../../base/clock.ts'
import type { Secret } from '../../base/secret.ts'
import { createRequestRate } from '../../http/servers/request-rate.ts'
import { createRequestVolume } from '../../usecases/logins/request-volume.ts'
import { VaultUnavailableError } from '../../usecases/vault/card-vault.ts'
import type { PortalGuardDeps } from './portal-guard.ts'
import { createSignInJournal, type JournalNames } from './store/sign-in-journal.ts'
import { createJudgeGuess } from './usecases/guesses.ts'
import type { NewPasswordDeps } from './usecases/new-password.ts'
import type { OpenSession } from './usecases/portal-user.ts'
import type { SecondFactors } from './usecases/second-factor.ts'
import type { SignInDeps, SignInUser } from './usecases/sign-in-ports.ts'

/** Wrong passwords of a user from an address, or wrong codes of a user, in 30 minutes. */
const FAILURE_LIMIT = 10
/** Requests of one session, over all processes. */
const SESSION_RATE = { perSecond: 20, burst: 400 }
/** Requests of one address to a process: an office is one address. */
const ADDRESS_RATE = { perSecond: 200, burst: 3_000 }

export interface SignInParts {
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
  readonly metrics: AccessMetrics
}

/** The differences between the users of the portal and those of the console. */
export interface SignInKind<User extends SignInUser> {
  readonly names: JournalNames<User>
  /** The name under which the metrics count their failures. */
  readonly counted: UserKind
  /** The names under which their wrong passwords and wrong codes are counted. */
  readonly passwordAttempts: AttemptsKind['name']
  readonly codeAttempts: AttemptsKind['name']
  /** The name under which the requests of a session are counted. */
  readonly session: string
  /** Names the row that a sealed second factor is for. */
  readonly secondFactorBinding: (userId: bigint) => string
}

/** The parts of a sign-in that are the same for users of every kind. */
export interface SignInSteps<User extends SignInUser> {
  readonly signIn: Omit<SignInDeps<User>, 'store' | 'noAccess'>
  /** Chooses and checks passwords of users. */
  readonly credentials: NewPasswordDeps
  readonly secondFactor: SecondFactors
  readonly guard: Pick<PortalGuardDeps<OpenSession>, 'allowAddress' | 'allowSession'>
  /** Enters what the audit log was spared, and forgets what counts no more. */
  tidy(): Promise<void>
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>
}

/** Wires the sign-in of users of one kind, without their store. */
export function wireSignInSteps<User extends SignInUser>(
  parts: SignInParts,
  kind: SignInKind<User>,
): SignInSteps<User> {
  const { database, audit, actor, clock, logger, monotonicMs, pause, seal, keyedDigest } = parts
  const { pool } = database
  const lane = database.lane('sign-ins', { durable: false })
  const attemptsOf = (name: AttemptsKind['name']) =>
    createLoginAttempts({ pool, lane, digest: keyedDigest }, FAILURE_LIMIT, monotonicMs, {
      name,
      minutes: 30,
    })
  const passwords = attemptsOf(kind.passwordAttempts)
  const onLost = (error: unknown): void =>
    logger.error({ error: String(error) }, 'a failed sign-in could not be audited')
  const journal = createSignInJournal(
    { audit, process: actor, monotonicMs, digest: keyedDigest, onLost },
    kind.names,
  )
  const turns = createVerificationTurns(monotonicMs)
  const enter = (address: string) => turns(addressToCount(address))
  const open = async (ciphertext: Uint8Array, userId: bigint): Promise<Secret> => {
    return seal.open(ciphertext, kind.secondFactorBinding(userId))
  }
  const buckets = createRequestBuckets(database)
  const allow = createRequestVolume({
    limit: SESSION_RATE,
    lease: buckets.leaseUnder(SESSION_RATE),
    allowLocally: createRequestRate(SESSION_RATE, monotonicMs),
    monotonicMs,
    onAway: (error) => {
      if (error !== null)
        logger.warn({ error: error.message }, 'portal rate limits are counted by this worker alone')
    },
  })
  const allowAddress = createRequestRate(ADDRESS_RATE, monotonicMs)

  return {
    signIn: {
      matchPassword,
      enter,
      judgePassword: createJudgeGuess(passwords, pause),
      judgeCode: createJudgeGuess(attemptsOf(kind.codeAttempts), pause),
      codeStep: async ({ ciphertext }, userId, code) =>
        codeStep(await open(ciphertext, userId), code, clock.now()),
      journal: parts.metrics.watchSignIns(kind.counted, journal),
      names: kind.names,
      randomToken: () => randomBytes(32).toString('base64url'),
      digest: (token) => createHash('sha256').update(token).digest(),
    },
    credentials: { enter, passwordFaults, hashPassword, matchPassword },
    secondFactor: {
      async make(user) {
        const { secret, uri } = generateSecondFactor(user.email)
        const { ciphertext } = await seal.seal(secret, kind.secondFactorBinding(user.id))
        return { secret, uri, sealed: ciphertext.toString('base64url') }
      },
      async prove(userId, sealed, code) {
        let secret: Secret
        try {
          secret = await open(Buffer.from(sealed, 'base64url'), userId)
        } catch (error) {
          if (error instanceof VaultUnavailableError) throw error
          return null // Not what was handed out to this user.
        }
        const step = codeStep(secret, code, clock.now())
        if (step === null) return null
        return { ...(await seal.seal(secret, kind.secondFactorBinding(userId))), step }
      },
    },
    guard: {
      allowAddress: (address) => allowAddress(addressToCount(address)),
      allowSession: (id) => allow(`${kind.session} ${id}`),
    },
    async tidy() {
      await journal.enterLeftOut()
      await passwords.forgetOld()
      await buckets.sweep(SESSION_RATE)
    },
    async idle() {
      await journal.enterLeftOut().catch(() => undefined)
      await buckets.idle()
    },
  }
}
