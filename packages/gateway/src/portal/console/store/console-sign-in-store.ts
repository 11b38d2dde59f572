import type pg from 'pg'
import type { SignInPolicy } from '../../../domain/logins/sign-in-policy.ts'
import { nextStep } from '../../shell/domain/sign-in-steps.ts'
import {
  replacePassword,
  setSecondFactor,
  takeLink,
  type OwnSession,
} from '../../shell/store/access-statements.ts'
import { isIdle, lastPasswords } from '../../shell/store/portal-user-rows.ts'
import { createSessionStore, markSeen } from '../../shell/store/session-store.ts'
import {
  IS_OPEN,
  secondsLeft,
  SEEN_EVERY_S,
  SESSION_AGES,
  UNFINISHED_S,
  type SessionAges,
} from '../../shell/store/user-tables.ts'
import type { InvitationStore } from '../../shell/usecases/invitations.ts'
import type { StoredUser } from '../../shell/usecases/sign-in-ports.ts'
import type { ConsoleOperator, ConsoleSession } from '../usecases/console-operator.ts'
import type { ConsoleSignInStore } from '../usecases/console-sessions.ts'
import { CONSOLE_NAME, type OwnAccessStore } from '../usecases/own-access.ts'
import { OPERATOR, OPERATOR_TABLES, operatorOf, type OperatorRow } from './operator-rows.ts'

const LAST_PASSWORDS = lastPasswords(OPERATOR_TABLES)

/** Operators and their sessions. Sessions go by the database's clock. */
export function createConsoleSignInStore(pool: pg.Pool, policy: SignInPolicy): ConsoleSignInStore {
  async function find(where: string, value: unknown): Promise<StoredUser<ConsoleOperator> | null> {
    const { rows } = await pool.query<
      OperatorRow & {
        password_hash: string | null
        active: boolean
        idle: boolean
        second_factor_ciphertext: Buffer | null
      }
    >(
      `select ${OPERATOR}, p.password_hash, p.active, ${isIdle(policy.idleDays)} as idle,
              p.second_factor_ciphertext
         from operators p where ${where} = $1`,
      [value],
    )
    const [row] = rows
    if (row === undefined) return null
    const { second_factor_ciphertext: ciphertext } = row
    return {
      user: operatorOf(row),
      passwordHash: row.password_hash,
      state: !row.active ? 'disabled' : row.idle ? 'idle' : 'active',
      secondFactor: ciphertext === null ? null : { ciphertext },
    }
  }

  return {
    ...createSessionStore(pool, OPERATOR_TABLES),
    findByEmail: (email) => find('p.email', email),
    findById: (id) => find('p.id', id),

    async findSession(tokenDigest, isSeen) {
      const { rows } = await pool.query<
        OperatorRow & {
          session_id: string
          csrf_token: string
          second_factor: boolean
          has_second_factor: boolean
        } & SessionAges
      >(
        `select s.id as session_id, s.csrf_token, s.second_factor, ${OPERATOR},
                p.second_factor_ciphertext is not null as has_second_factor,
                ${SESSION_AGES}
           from operator_sessions s join operators p on p.id = s.operator_id
          where s.token_digest = $1 and ${IS_OPEN} and p.active`,
        [tokenDigest],
      )
      const [row] = rows
      if (row === undefined) return null
      const has = {
        secondFactor: row.has_second_factor,
        codeVerified: row.second_factor,
        passwordAgeDays: row.password_days,
      }
      const next = nextStep(has, policy)
      // A session that has shown no second factor is not kept open by requests.
      if (next !== null && row.whole_s > UNFINISHED_S) return null
      if (isSeen && row.idle_s > SEEN_EVERY_S) await markSeen(pool, OPERATOR_TABLES, row.session_id)
      return {
        id: BigInt(row.session_id),
        operator: operatorOf(row),
        csrfToken: row.csrf_token,
        next,
        secondsLeft: secondsLeft(row, isSeen),
      }
    },
  }
}

/** Links of operators that were handed over and not taken up yet. */
export function createOperatorInvitationStore(pool: pg.Pool): InvitationStore<ConsoleOperator> {
  return {
    async find(tokenDigest) {
      const { rows } = await pool.query<
        OperatorRow & { kind: 'invitation' | 'reset'; expires_at: Date; hashes: string[] }
      >(
        `select ${OPERATOR}, i.kind, i.expires_at, ${LAST_PASSWORDS} as hashes
           from operator_invitations i join operators p on p.id = i.operator_id
          where i.token_digest = $1 and i.ended_at is null and i.expires_at > now() and p.active`,
        [tokenDigest],
      )
      const [row] = rows
      if (row === undefined) return null
      const { kind, expires_at: expiresAt, hashes } = row
      const about = { kind, expiresAt, lastPasswords: hashes, merchant: CONSOLE_NAME }
      return { ...about, user: operatorOf(row) }
    },

    take: (tokenDigest, taken, session, entry) =>
      takeLink(pool, OPERATOR_TABLES, tokenDigest, taken, session, entry, () => Promise.resolve()),
  }
}

/** Stores operators' operations on their own access. */
export function createOwnAccessStore(pool: pg.Pool): OwnAccessStore {
  return {
    async readLastPasswords(operatorId) {
      const { rows } = await pool.query<{ hashes: string[] }>(
        `select ${LAST_PASSWORDS} as hashes from operators p where p.id = $1`,
        [operatorId],
      )
      return rows[0]?.hashes ?? []
    },

    replacePassword: (session, before, hash, entry) => {
      const own = ownSession(session)
      const change = { before, hash }
      return replacePassword(pool, OPERATOR_TABLES, own, change, entry, () => Promise.resolve())
    },

    setSecondFactor: (session, factor, digests, entries) =>
      setSecondFactor(pool, OPERATOR_TABLES, ownSession(session), factor, digests, entries),
  }
}

function ownSession({ id, operator }: ConsoleSession): OwnSession {
  return { id, userId: operator.id }
}
