import { createLoginJournal } from '../adapters/credentials/login-journal.ts'
import { matchPassword } from '../adapters/credentials/password-hash.ts'
import { createPasswordMemory } from '../adapters/credentials/password-memory.ts'
import { createVerificationTurns } from '../adapters/credentials/verification-turns.ts'
import { addressToCount } from '../adapters/postgres/logins/allowed-addresses.ts'
import { API_LOGINS, createLoginAttempts } from '../adapters/postgres/logins/login-failures.ts'
import { noteLoginUse } from '../adapters/postgres/logins/login-use.ts'
import { createDirectory } from '../adapters/postgres/merchants/directory.ts'
import { createAuthenticate, type Authenticate } from '../usecases/logins/authenticate.ts'
import { pause, type Foundation } from './foundation.ts'
import { follow, type Part } from './part.ts'

export interface Logins extends Part {
  readonly authenticate: Authenticate
}

const TIDY_EVERY_MS = 60_000

/** Wires authentication: users, sites, passwords, and the protection against guessing. */
export function wireLogins(foundation: Foundation, digest: (text: string) => string): Logins {
  const { config, logger, database, audit, actor, metrics, monotonicMs } = foundation
  const attempts = createLoginAttempts(
    { pool: database.pool, lane: database.lane('logins', { durable: false }), digest },
    config.loginFailureLimit,
    monotonicMs,
    API_LOGINS,
  )
  const journal = createLoginJournal({
    audit,
    process: actor,
    monotonicMs,
    digest,
    onLost: (error) =>
      logger.error({ error: String(error) }, 'a failed login could not be audited'),
  })
  const turns = createVerificationTurns(monotonicMs)
  return {
    authenticate: createAuthenticate({
      directory: createDirectory(
        database.pool,
        monotonicMs,
        config.apiUserIdleDays,
        foundation.clock,
      ),
      memory: createPasswordMemory(monotonicMs),
      attempts,
      journal: metrics.watchSignIns('api_user', journal),
      enter: (address) => turns(addressToCount(address)),
      matchPassword,
      noteUse: (user, password) => noteLoginUse(database.pool, user, password),
      pause,
    }),
    followers: [
      // Enters what the audit log was spared, and forgets attempts that count no more.
      follow('logins', TIDY_EVERY_MS, async () => {
        await journal.enterLeftOut()
        await attempts.forgetOld()
      }),
    ],
    stop: () => journal.enterLeftOut().catch(() => undefined),
  }
}
