import type pg from 'pg'
import type { StoredApiUser, StoredPassword } from '../../../usecases/logins/login-ports.ts'

/**
 * Notes when a user and a password were last used, each once an hour at most. Called when a
 * password was verified the slow way, and once an hour while a process has it cached.
 */
export async function noteLoginUse(
  pool: pg.Pool,
  user: StoredApiUser,
  password: StoredPassword,
): Promise<void> {
  await pool.query(
    `with password as (
       update api_user_passwords set last_used_at = now()
        where user_id = $1 and number = $2
          and (last_used_at is null or last_used_at < now() - interval '1 hour'))
     update api_users set last_used_at = now()
      where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 hour')`,
    [user.id, password.number],
  )
}
