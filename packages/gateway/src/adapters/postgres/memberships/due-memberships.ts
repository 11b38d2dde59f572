import type pg from 'pg'
import type { StoredMembership } from '../../../usecases/memberships/membership-store.ts'
import type { RenewalScope } from '../../../usecases/memberships/renewal-store.ts'
import { isStopped } from '../connection/disabled-merchants.ts'
import { MEMBERSHIP_COLUMNS, storedMembership, type MembershipRow } from './membership-rows.ts'

interface DueRow {
  readonly retry_days: number[] | null
  readonly charge_test: string | null
}

/** A membership that is due, with the words of a test for its charge. */
export interface DueMembership {
  readonly stored: StoredMembership
  readonly retryDays: number[] | null
  readonly bankTest: string | null
}

/** Holds memberships that are due at `until`, at most `limit`, until the caller's commit. */
export async function lockDue(
  client: pg.ClientBase,
  scope: RenewalScope,
  until: Date,
  limit: number,
  only: bigint | null,
): Promise<DueMembership[]> {
  const { name, where, values } = inScope(scope, 4)
  const { rows } = await client.query<MembershipRow & DueRow>({
    name: `lock due memberships ${name}`,
    text: `select ${MEMBERSHIP_COLUMNS}, s.renewal_retry_days as retry_days, m.charge_test
             from memberships m join sites s on s.id = m.site_id
            -- What a site made in the other mode sleeps until it is back, and so does what belongs
            -- to a disabled merchant.
            where m.next_at <= $1 and s.mode = m.mode and not ${isStopped('m')}
              and ($3::bigint is null or m.id = $3) and ${where}
              -- Another membership of the card is being charged: this one waits, so that it counts.
              -- Not a join, which would read all that are being charged for each one that is due.
              and m.payment_method_id not in (select o.payment_method_id from memberships o
                                               where o.charge_at is not null)
            order by m.next_at, m.id limit $2 for update of m skip locked`,
    values: [until, limit, only, ...values],
  })
  return rows.map((row) => ({
    stored: storedMembership(row),
    retryDays: row.retry_days,
    bankTest: row.charge_test,
  }))
}

/** SQL over `memberships m`. */
export function inScope(
  scope: RenewalScope,
  first: number,
): { name: string; where: string; values: unknown[] } {
  if (typeof scope === 'string') {
    return {
      name: 'by the machine',
      where: 'not exists (select from site_clocks k where k.site_id = m.site_id)',
      values: [],
    }
  }
  return {
    name: 'of a site',
    where: `m.site_id = $${first} and m.mode = $${first + 1}`,
    values: [scope.id, scope.mode],
  }
}
