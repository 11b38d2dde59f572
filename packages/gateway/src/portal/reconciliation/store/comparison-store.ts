import type pg from 'pg'
import { createTransact } from '../../../adapters/postgres/audit/admin-transaction.ts'
import { invariant } from '../../../base/invariant.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { ComparisonTx } from '../usecases/change-comparisons.ts'

/** Transactions in which comparisons are started and the daily hour is changed. */
export function comparisonTransact(pool: pg.Pool): Transact<ComparisonTx> {
  return createTransact(pool, txOf)
}

function txOf(client: pg.ClientBase): Omit<ComparisonTx, 'audit'> {
  return {
    async lockComparisons(merchantId) {
      await client.query('select from merchants where id = $1 for no key update', [merchantId])
    },

    async readUnfinished(merchantId) {
      const { rows } = await client.query<{ id: string }>(
        `select id from recon_runs where merchant_id = $1 and state in ('waiting', 'running')`,
        [merchantId],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },

    async addRun(merchantId, requestedBy) {
      const { rows } = await client.query<{ id: string }>(
        'insert into recon_runs (merchant_id, asked_by) values ($1, $2) returning id',
        [merchantId, requestedBy],
      )
      const [run] = rows
      invariant(run !== undefined, 'an inserted comparison has an id')
      return BigInt(run.id)
    },

    async readDailyHour(merchantId) {
      const { rows } = await client.query<{ hour: number }>(
        'select hour from recon_schedules where merchant_id = $1',
        [merchantId],
      )
      return rows[0]?.hour ?? null
    },

    async writeDailyHour(merchantId, hour) {
      if (hour === null) {
        await client.query('delete from recon_schedules where merchant_id = $1', [merchantId])
        return
      }
      await client.query(
        `insert into recon_schedules (merchant_id, hour) values ($1, $2)
         on conflict (merchant_id) do update set hour = excluded.hour`,
        [merchantId, hour],
      )
    },
  }
}
