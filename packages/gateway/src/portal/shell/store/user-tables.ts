/** The tables of one kind of users who sign in. Their columns have the same names. */
export interface UserTables {
  readonly users: string
  readonly sessions: string
  readonly invitations: string
  readonly recoveryCodes: string
  readonly pastPasswords: string
  /** The column of the others that refers to `users`. */
  readonly userId: string
}

export const PORTAL_USER_TABLES: UserTables = {
  users: 'portal_users',
  sessions: 'portal_sessions',
  invitations: 'portal_invitations',
  recoveryCodes: 'portal_recovery_codes',
  pastPasswords: 'portal_past_passwords',
  userId: 'portal_user_id',
}

const IDLE_S = 15 * 60
const WHOLE_S = 12 * 60 * 60
/** User activity is written no more often than this; users are signed out that much sooner. */
export const SEEN_EVERY_S = 5
/** A password was right, and the second factor is waited for no longer than this. */
export const UNFINISHED_S = 10 * 60

/** SQL: whether the session `s` is open. */
export const IS_OPEN = `(s.ended_at is null
  and s.last_seen_at > now() - interval '${IDLE_S} seconds'
  and s.started_at > now() - interval '${WHOLE_S} seconds')`

/** SQL: how old the session `s` of the user `p` is, in seconds. */
export const SESSION_AGES = `
                extract(epoch from now() - p.password_changed_at)::float8 / 86400 as password_days,
                extract(epoch from now() - s.last_seen_at)::float8 as idle_s,
                extract(epoch from now() - s.started_at)::float8 as whole_s`

export interface SessionAges {
  readonly password_days: number
  readonly idle_s: number
  readonly whole_s: number
}

/** Seconds until a session ends. `isSeen`: the user was active just now. */
export function secondsLeft(
  { idle_s: idle, whole_s: whole }: SessionAges,
  isSeen: boolean,
): { readonly idle: number; readonly whole: number } {
  return { idle: Math.floor(IDLE_S - (isSeen ? 0 : idle)), whole: Math.floor(WHOLE_S - whole) }
}
