import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { TimeZoneTx } from '../../../usecases/merchants/change-time-zone.ts'
import { createTransact } from '../audit/admin-transaction.ts'

/** Transactions in which a merchant's time zone is changed. */
export function timeZoneTransact(pool: pg.Pool): Transact<TimeZoneTx> {
  return createTransact(pool, txOf)
}

function txOf(client: pg.ClientBase): Omit<TimeZoneTx, 'audit'> {
  return {
    async lockTimeZone(merchantId) {
      const { rows } = await client.query<{ time_zone: string }>(
        'select time_zone from merchants where id = $1 for no key update',
        [merchantId],
      )
      const [row] = rows
      invariant(row !== undefined, 'a signed-in user has a merchant')
      return row.time_zone
    },

    async knowsTimeZone(name) {
      const { rowCount } = await client.query('select from pg_timezone_names where name = $1', [
        name,
      ])
      return rowCount === 1
    },

    async setTimeZone(merchantId, name) {
      await client.query('update merchants set time_zone = $2 where id = $1', [merchantId, name])
    },
  }
}
