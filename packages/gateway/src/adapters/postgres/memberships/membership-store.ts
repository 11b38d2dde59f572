import type pg from 'pg'
import type { PlanTest } from '../../../usecases/memberships/make-due.ts'
import type { MembershipStore } from '../../../usecases/memberships/membership-store.ts'
import { CommitUnknownError, NothingWrittenError } from '../../../usecases/payments/learn-truth.ts'
import { isDatabaseAway, isRolledBack, onConnection } from '../connection/database.ts'
import {
  changeMembership,
  MEMBERSHIP_COLUMNS,
  storedMembership,
  type MembershipRow,
} from './membership-rows.ts'

/** Keeps the words of a test for the next charge of a membership. */
export function createPlanTest(pool: pg.Pool): PlanTest {
  return async ({ id, version }, words) => {
    const { rowCount } = await pool.query(
      'update memberships set charge_test = $3 where id = $1 and version = $2',
      [id, version, words],
    )
    return rowCount === 1
  }
}

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
    async change(read, membership, cause) {
      try {
        return await onConnection(pool, (client) =>
          changeMembership(client, read, membership, cause),
        )
      } catch (error) {
        const isCertain = error instanceof NothingWrittenError || isRolledBack(error)
        throw isCertain || !isDatabaseAway(error) ? error : new CommitUnknownError(error)
      }
    },
  }
}
