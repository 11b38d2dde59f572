import type pg from 'pg'
import { findCurrency } from '../../packages/gateway/src/domain/currency.ts'
import { dayOf } from './days.ts'
import type { OwnerSession } from './owner-session.ts'
import type { SampleBank } from './sample-bank.ts'
import { acquirerIdOf, type SampleSite } from './sample-merchant.ts'

const WEEK_MS = 7 * 86_400_000
/** So often the sample waits until all its closed batches can be settled. */
const AGREED_EVERY_MS = 50 * 86_400_000
const LOOK_EVERY_MS = 50

/** Closes the batches of a site's account, as its owner does in the portal. */
export interface BatchCloser {
  /**
   * Closes the open batch if a week of the site's time has passed since the last close. Before
   * that, the bank settles the batches that were closed earlier.
   *
   * @param at the site's time, in milliseconds since 1970
   * @returns whether it closed a batch
   */
  closeAfterAWeek(at: number): Promise<boolean>
  /** The bank settles the last closed batches. @param at as above */
  settleLast(at: number): Promise<void>
}

/** A difference that the bank puts into the first file from a time on, the earliest first. */
export interface PlannedDifference {
  /** Milliseconds since 1970, by the site's clock. */
  readonly from: number
  /** A kind of docs/settlement-file.md. */
  readonly kind: string
}

/**
 * A batch is closed by the machine's clock. The sample's year passes in minutes, so each close is
 * dated by the site's clock afterwards; the audit log keeps the real time.
 */
export async function createBatchCloser(
  pool: pg.Pool,
  { call }: OwnerSession,
  bank: SampleBank | null,
  { account, currencies: [currency = ''] }: SampleSite,
  differences: readonly PlannedDifference[],
): Promise<BatchCloser> {
  const acquirerId = acquirerIdOf(account)
  const planned = [...differences]
  const settle = async (at: number): Promise<void> => {
    const due = planned.splice(0, planned.filter(({ from }) => from <= at).length)
    // The file needs the sales of the batch before: it might have money of disputes alone.
    if (due.length > 0) await untilAgreed()
    for (const { kind } of due) {
      await bank?.plant(acquirerId, currencyOf(currency), kind)
    }
    await bank?.settle(acquirerId, dayOf(at))
  }
  const openBatch = async () => {
    const { rows } = await pool.query<{ id: string; opened_at: Date }>(
      'select id, opened_at from batches where merchant_account_id = $1 and closed_at is null',
      [account],
    )
    const [row] = rows
    if (row === undefined) throw new Error(`Account ${account} has no open batch.`)
    return row
  }
  const untilNone = async (sql: string, value: string | number): Promise<void> => {
    while ((await pool.query(sql, [value])).rows.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }
  /** A capture that the bank has not answered would go into the next batch. */
  const untilAnswered = (id: string): Promise<void> =>
    untilNone(`select from advices where batch_id = $1 and state = 'queued' limit 1`, id)
  /** The bank settles a batch once its totals were agreed. */
  const untilAgreed = (): Promise<void> =>
    untilNone(
      `select from batches where merchant_account_id = $1 and closed_at is not null
          and agreement in ('closing', 'agreeing', 'comparing') limit 1`,
      account,
    )
  let openedAt = (await openBatch()).opened_at.getTime()
  let agreedAt = openedAt
  return {
    async closeAfterAWeek(at) {
      if (at < openedAt + WEEK_MS) return false
      const { id } = await openBatch()
      const { rows } = await pool.query(
        `select from transactions
          where batch_id = $1 and state = 'approved' and kind in ('sale', 'capture', 'refund')
          limit 1`,
        [id],
      )
      // An empty batch cannot be closed; authorizations alone leave it empty.
      if (rows.length === 0) return false
      await untilAnswered(id)
      // A slow machine would settle the whole year in one file otherwise.
      if (at >= agreedAt + AGREED_EVERY_MS) {
        await untilAgreed()
        agreedAt = at
      }
      await settle(openedAt)
      await call('POST', `/batches/${id}/close`)
      const time = new Date(at)
      await pool.query('update batches set closed_at = $2 where id = $1', [id, time])
      await pool.query('update batches set opened_at = $2 where id = $1', [
        (await openBatch()).id,
        time,
      ])
      openedAt = at
      return true
    },
    async settleLast(at) {
      await untilAgreed()
      await settle(at)
    },
  }
}

/** ISO 4217 numeric of an alphabetic code. */
function currencyOf(alpha: string): string {
  return findCurrency(alpha)?.numeric ?? alpha
}
