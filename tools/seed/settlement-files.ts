import type pg from 'pg'
import type { OwnerSession } from './owner-session.ts'
import type { SampleBank } from './sample-bank.ts'
import { acquirerIdOf, SAMPLE_MERCHANT, SAMPLE_SITES } from './sample-merchant.ts'

const LOOK_EVERY_MS = 500
const GIVE_UP_AFTER_MS = 600_000

/** Waits until the gateway has fetched and booked every file of the sample's accounts. */
export async function untilFilesAreBooked(
  pool: pg.Pool,
  { call }: OwnerSession,
  bank: SampleBank,
): Promise<void> {
  const files = await Promise.all(
    SAMPLE_SITES.map(({ account }) => bank.listFiles(acquirerIdOf(account))),
  )
  const made = files.flat().length
  const since = Date.now()
  for (;;) {
    const { rows } = await pool.query<{ booked: number }>(
      `select count(*)::int as booked from settlement_files
        where merchant_id = $1 and state = 'booked'`,
      [SAMPLE_MERCHANT.id],
    )
    const booked = rows[0]?.booked ?? 0
    if (booked >= made) return
    if (Date.now() - since > GIVE_UP_AFTER_MS) {
      throw new Error(`The gateway booked ${booked} of ${made} settlement files. See its log.`)
    }
    // A gateway without requests fetches less often.
    await call('GET', '/settlement-sources')
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

/**
 * Dates each file by the morning after its business day, as an acquirer would have sent it. The
 * ledger and the audit log keep the real time.
 */
export async function dateFiles(pool: pg.Pool): Promise<void> {
  await pool.query(
    `update settlement_files
        set booked_at = (business_date + interval '1 day 5 hours') at time zone 'UTC'
      where merchant_id = $1
        and booked_at > (business_date + interval '2 days') at time zone 'UTC'`,
    [SAMPLE_MERCHANT.id],
  )
}
