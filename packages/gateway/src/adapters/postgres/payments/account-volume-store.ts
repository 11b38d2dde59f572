import type pg from 'pg'
import type { AccountVolumes } from '../../../usecases/payments/account-volume.ts'

// One statement locks the row of the day, reads it and writes it: callers wait for each other.
const RESERVE = `
insert into account_volumes as v (merchant_id, merchant_account_id, currency, day, volume_minor)
select m.id, $2, $3, ($5::timestamptz at time zone m.time_zone)::date, $4::bigint
  from merchants m where m.id = $1 and $4::bigint <= $6::bigint
    on conflict (merchant_account_id, currency, day) do update
   set volume_minor = v.volume_minor + excluded.volume_minor
 where v.volume_minor + excluded.volume_minor <= $6::bigint`

// Another day, after a change of the time zone, has nothing of it.
const RELEASE = `
update account_volumes v set volume_minor = greatest(0, v.volume_minor - $4::bigint)
  from merchants m
 where m.id = $1 and v.merchant_account_id = $2 and v.currency = $3
   and v.day = ($5::timestamptz at time zone m.time_zone)::date and v.merchant_id = $1`

// A clock of a test site may stand still; nothing else asks for an earlier day.
const KEPT_DAYS = 400
const SWEEP = `
delete from account_volumes v using (
  select merchant_account_id, currency, day from account_volumes
   where day < current_date - ${KEPT_DAYS} limit 5000 for update skip locked) old
 where v.merchant_account_id = old.merchant_account_id and v.currency = old.currency
   and v.day = old.day`

/**
 * Deletes the volumes of days that are long over, 5,000 at most.
 * @returns whether more may be left
 */
export async function sweepAccountVolumes(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(SWEEP)
  return rowCount === 5_000
}

/** Counts what accounts take on each day; durable when it resolves. */
export function createAccountVolumes(pool: pg.Pool): AccountVolumes {
  return {
    async reserve({ merchantId, accountId, currency, amountMinor, at }, limitMinor) {
      const { rowCount } = await pool.query({
        name: 'reserve account volume',
        text: RESERVE,
        values: [merchantId, accountId, currency, amountMinor, at, limitMinor],
      })
      return rowCount === 1
    },
    async release({ merchantId, accountId, currency, amountMinor, at }) {
      await pool.query({
        name: 'release account volume',
        text: RELEASE,
        values: [merchantId, accountId, currency, amountMinor, at],
      })
    },
  }
}
