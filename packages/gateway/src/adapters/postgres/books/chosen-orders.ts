import type pg from 'pg'
import { inTransactionOn } from '../connection/transaction.ts'
import { CHANGED_FACTS, each, namedOrders, type ChangedRows } from './invariants/changed-orders.ts'
import { COPYING, withValues } from './invariants/copy-changed-rows.ts'
import type { RunMark } from './invariants/run-mark.ts'

/** The first message of an order, which is its name at the bank. */
export interface FirstMessage {
  readonly number: bigint
  readonly acquirer: string
  /** UTC MMDDhhmmss. */
  readonly transmittedAt: string
}

const FIRST_MESSAGE = `o.id, o.message_number, m.acquirer_id,
       to_char(o.message_at at time zone 'UTC', 'MMDDHH24MISS') as transmitted_at`

const OF_TEST_MODE =
  "join public.merchant_accounts m on m.id = o.merchant_account_id and m.mode = 'test'"

/** The orders that a run compares which goes on from another one. They stay until its end. */
export const CHOOSING: readonly ChangedRows[] = [
  ...CHANGED_FACTS,
  {
    table: 'recon_scope',
    sql: `with named as materialized (${namedOrders('operator_recon_orders')})
          select ${FIRST_MESSAGE} from ${each(
            'named n',
            'o',
            `select id, message_number, message_at, merchant_account_id
               from public.orders where id = n.id`,
          )} ${OF_TEST_MODE}`,
  },
]

const UNMATCHED = `
select b.message_number from pg_temp.bank_orders b
 where not exists (select from pg_temp.recon_scope s
                    where s.message_number = b.message_number and s.acquirer_id = b.acquirer
                      and s.transmitted_at = b.transmitted_at)
   and b.message_number is not null`

/**
 * Chooses the orders that may have changed since the mark, and those of `pg_temp.bank_orders`.
 * Message numbers have no index, for which each payment would pay. So the whole table is read if
 * the bank has changed an order that nothing in the gateway names. As a rule that one is lost.
 */
export async function chooseOrders(client: pg.ClientBase, mark: RunMark): Promise<FirstMessage[]> {
  await inTransactionOn(client, null, async () => {
    await client.query(COPYING)
    await client.query('drop table if exists pg_temp.recon_scope')
    for (const { table, sql } of CHOOSING) {
      const until = table === 'recon_scope' ? 'preserve rows' : 'drop'
      await client.query(
        `create temporary table ${table} on commit ${until} as ${withValues(sql, mark)}`,
      )
      await client.query(`analyze pg_temp.${table}`)
    }
  })
  const { rows: lost } = await client.query<{ message_number: string }>(UNMATCHED)
  if (lost.length > 0) {
    await client.query(
      `insert into pg_temp.recon_scope
       select ${FIRST_MESSAGE} from public.orders o ${OF_TEST_MODE}
        where o.message_number = any($1::bigint[])
          and not exists (select from pg_temp.recon_scope s where s.id = o.id)`,
      [lost.map((row) => row.message_number)],
    )
  }
  await client.query('analyze pg_temp.recon_scope')
  const { rows } = await client.query<{
    message_number: string
    acquirer_id: string
    transmitted_at: string
  }>('select message_number, acquirer_id, transmitted_at from pg_temp.recon_scope')
  return rows.map((row) => ({
    number: BigInt(row.message_number),
    acquirer: row.acquirer_id,
    transmittedAt: row.transmitted_at,
  }))
}
