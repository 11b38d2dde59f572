import { createHash, randomBytes } from 'node:crypto'
import { hashPassword, matchPassword } from '../adapters/credentials/password-hash.ts'
import { passwordFaults } from '../adapters/credentials/password-rules.ts'
import {
  codeStep,
  generateRecoveryCodes,
  generateSecondFactor,
} from '../adapters/credentials/second-factor.ts'
import { createVerificationTurns } from '../adapters/credentials/verification-turns.ts'
import { addressToCount } from '../adapters/postgres/logins/allowed-addresses.ts'
import { createLoginAttempts } from '../adapters/postgres/logins/login-failures.ts'
import { createRequestBuckets } from '../adapters/postgres/logins/request-buckets.ts'
import { secondFactorBinding, type SecretSeal } from '../adapters/vault/secret-seal.ts'
import type { Secret } from '../base/secret.ts'
import { createRequestRate } from '../http/servers/request-rate.ts'
import { createAccountStore } from '../portal/people/store/account-store.ts'
import { createPeopleAdmin } from '../portal/people/store/people-admin.ts'
import { createAccount, type Account } from '../portal/people/usecases/account.ts'
import type { PeopleAdmin } from '../portal/people/usecases/people.ts'
import type { PortalGuardDeps } from '../portal/shell/portal-guard.ts'
import { createInvitationStore } from '../portal/shell/store/invitation-store.ts'
import { createPeopleStore } from '../portal/shell/store/people-store.ts'
import { createSignInJournal } from '../portal/shell/store/sign-in-journal.ts'
import { createJudgeGuess } from '../portal/shell/usecases/guesses.ts'
import { createInvitations, type Invitations } from '../portal/shell/usecases/invitations.ts'
import { createPortalSessions, type PortalSessions } from '../portal/shell/usecases/sessions.ts'
import { createRequestVolume } from '../usecases/logins/request-volume.ts'
import { pause, type Foundation } from './foundation.ts'

/** Wrong passwords of a person from an address, or wrong codes of a person, in 30 minutes. */
const FAILURE_LIMIT = 10
/** Requests of one session, over all processes. */
const SESSION_RATE = { perSecond: 20, burst: 400 }
/** Requests of one address to a process: an office is one address. */
const ADDRESS_RATE = { perSecond: 200, burst: 3_000 }

/** What the portal's sign-in needs of the vault. */
export interface PortalVault {
  readonly seal: SecretSeal
  readonly keyedDigest: (text: string) => string
}

export interface PortalDoor {
  readonly sessions: PortalSessions
  readonly invitations: Invitations
  readonly account: Account
  readonly people: PeopleAdmin
  readonly guard: Omit<PortalGuardDeps, 'sessions'>
  /** Enters what the audit log was spared, and forgets what counts no more. */
  tidy(): Promise<void>
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>
}

/** Who comes into the portal, and how. */
export function wirePortalDoor(
  foundation: Foundation,
  { seal, keyedDigest }: PortalVault,
): PortalDoor {
  const { config, database, audit, actor, clock, logger, monotonicMs } = foundation
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
  const turns = createVerificationTurns()
  const enter = (address: string) => turns(addressToCount(address))
  const digest = (token: string): Buffer => createHash('sha256').update(token).digest()
  const randomToken = (): string => randomBytes(32).toString('base64url')
  const open = async (ciphertext: Uint8Array, personId: bigint): Promise<Secret> => {
    await seal.prepare(ciphertext)
    return seal.open(ciphertext, secondFactorBinding(personId))
  }

  const sessions = createPortalSessions({
    store: createPeopleStore(pool, config.portal),
    matchPassword,
    enter,
    judgePassword: createJudgeGuess(passwords, pause),
    judgeCode: createJudgeGuess(attemptsOf('second factor'), pause),
    codeStep: async ({ ciphertext }, personId, code) =>
      codeStep(await open(ciphertext, personId), code, clock.now()),
    journal,
    randomToken,
    digest,
    sandbox: config.mode === 'sandbox',
  })
  const hashing = { enter, passwordFaults, hashPassword, matchPassword }
  const account = createAccount({
    ...hashing,
    store: createAccountStore(pool),
    checkPassword: sessions.checkPassword,
    secondFactor: {
      make(person) {
        const { secret, uri } = generateSecondFactor(person.email)
        const { ciphertext } = seal.seal(secret, secondFactorBinding(person.id))
        return { secret, uri, sealed: ciphertext.toString('base64url') }
      },
      async prove(personId, sealed, code) {
        const ciphertext = Buffer.from(sealed, 'base64url')
        let secret: Secret
        try {
          secret = await open(ciphertext, personId)
        } catch {
          return null // Not what was handed out to this person.
        }
        const step = codeStep(secret, code, clock.now())
        if (step === null) return null
        const stored = seal.seal(secret, secondFactorBinding(personId))
        return { ...stored, step }
      },
    },
    makeRecoveryCodes: generateRecoveryCodes,
    secondFactorRequired: config.portal.secondFactorRequired,
  })
  const buckets = createRequestBuckets(database, SESSION_RATE)
  const allowLocally = createRequestRate(SESSION_RATE, monotonicMs)
  const allow = createRequestVolume({
    limit: SESSION_RATE,
    lease: buckets.lease,
    allowLocally,
    monotonicMs,
    onAway: (error) => {
      if (error !== null)
        logger.warn(
          { error: error.message },
          'the volume of the portal is counted by this worker alone',
        )
    },
  })
  const allowAddress = createRequestRate(ADDRESS_RATE, monotonicMs)

  return {
    sessions,
    account,
    invitations: createInvitations({
      ...hashing,
      store: createInvitationStore(pool),
      randomToken,
      digest,
    }),
    people: createPeopleAdmin({ pool, idleDays: config.portal.idleDays, randomToken, digest }),
    guard: {
      publicOrigin: config.publicUrl,
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
