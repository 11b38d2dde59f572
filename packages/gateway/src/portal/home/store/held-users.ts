import type pg from 'pg'
import { HELD_UNTIL } from '../../shell/store/portal-users-store.ts'
import type { HeldUser } from '../usecases/home.ts'

interface Row {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly came_in_by: string
  readonly came_in_at: Date
  readonly held_until: Date
}

/** Users of a merchant who are held after another user's reset, the latest first. */
export async function readHeldUsers(
  pool: pg.Pool,
  merchantId: bigint,
): Promise<readonly HeldUser[]> {
  const { rows } = await pool.query<Row>(
    `select p.id, p.name, p.email, p.came_in_by, p.came_in_at, ${HELD_UNTIL} as held_until
       from portal_users p
      where p.merchant_id = $1 and p.active and ${HELD_UNTIL} is not null
      order by p.came_in_at desc`,
    [merchantId],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    name: row.name,
    email: row.email,
    cameInBy: row.came_in_by,
    cameInAt: row.came_in_at,
    heldUntil: row.held_until,
  }))
}
