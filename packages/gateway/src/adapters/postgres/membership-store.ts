import type pg from 'pg'
import type { MembershipStore } from '../../usecases/memberships/membership-store.ts'
import {
  changeMembership,
  MEMBERSHIP_COLUMNS,
  storedMembership,
  type MembershipRow,
} from './membership-rows.ts'

/** Reads and changes memberships one by one, for those who ask for a change. */
export function createMembershipStore(pool: pg.Pool): MembershipStore {
  return {
    async find(site, membershipId) {
      const { rows } = await pool.query<MembershipRow>({
        name: 'find membership',
        text: `select ${MEMBERSHIP_COLUMNS} from memberships m
                where m.id = $1 and m.site_id = $2 and m.mode = $3`,
        values: [membershipId, site.id, site.mode],
      })
      return rows[0] === undefined ? null : storedMembership(rows[0])
    },
    change: (read, membership) => changeMembership(pool, read, membership),
  }
}
