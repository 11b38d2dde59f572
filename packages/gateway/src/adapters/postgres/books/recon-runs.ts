import type pg from 'pg'
import type { ReconEnd, ReconMark, ReconRuns } from '../../../usecases/books/reconcile-changes.ts'
import {
  bankKeyOf,
  type BankOrder,
  type ReconcileStore,
} from '../../../usecases/books/reconcile.ts'
import { inTransactionOn } from '../connection/transaction.ts'
import { chooseOrders, type FirstMessage } from './chosen-orders.ts'
import type { RunMark } from './invariants/run-mark.ts'
import { noteStart, readMark, type NoMark } from './invariants/verify-runs.ts'

/** The last noted run, in both sets of books. */
export type FullMark = RunMark & ReconMark

/** The last noted run, if the events behind it are all there. */
export async function readReconMark(client: pg.ClientBase): Promise<FullMark | NoMark> {
  const mark = await readMark(client, 'operator_recon_runs')
  if (typeof mark === 'string') return mark
  const { rows } = await client.query<{ bank_position: string }>(
    'select bank_position from operator_recon_runs order by id desc limit 1',
  )
  return { ...mark, bankPosition: rows[0]?.bank_position ?? '' }
}

/** Whether this connection can note a run. A standby cannot, nor a role that only reads. */
export async function canNoteRecon(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ can: boolean }>(
    `select not pg_is_in_recovery() and has_table_privilege('operator_recon_runs', 'insert')
            and has_table_privilege('operator_recon_orders', 'insert, delete')
            and has_table_privilege('operator_recon_bank_orders', 'insert, delete')
            and has_database_privilege(current_database(), 'temporary') as can`,
  )
  return rows[0]?.can === true
}

/**
 * The runs of `tollgate recon`. `mark` is null for a full run, which chooses no orders. `nameOf`
 * gives the STAN and the terminal of a message number.
 */
export function createReconRuns(
  client: pg.ClientBase,
  store: Pick<ReconcileStore, 'takeBankOrders'>,
  mark: RunMark | null,
  nameOf: (number: bigint) => Pick<BankOrder, 'stan' | 'terminal'>,
): ReconRuns {
  const nameAtBank = ({ number, acquirer, transmittedAt }: FirstMessage): string =>
    bankKeyOf({ acquirer, transmittedAt, ...nameOf(number) })
  return {
    async begin() {
      await noteStart(client)
    },
    async readKeptKeys() {
      const { rows } = await client.query<{ bank_key: string }>(
        'select bank_key from operator_recon_bank_orders',
      )
      return rows.map((row) => row.bank_key)
    },
    async choose(bankOrders) {
      if (mark === null) return []
      await store.takeBankOrders(bankOrders)
      const messages = await chooseOrders(client, mark)
      const { rows } = await client.query<{ key: string }>('select key from pg_temp.bank_orders')
      return [...new Set([...rows.map(({ key }) => key), ...messages.map(nameAtBank)])]
    },
    end: (end) => noteEnd(client, end),
  }
}

function noteEnd(
  client: pg.ClientBase,
  { bankKeys, bankPosition, isFull, orderIds }: ReconEnd,
): Promise<void> {
  return inTransactionOn(client, null, async () => {
    await client.query(
      `insert into operator_recon_runs (began_at, ended_at, is_full, position, bank_position)
       select began_at, now(), $1, position, $2 from pg_temp.verify_start`,
      [isFull, bankPosition],
    )
    await client.query('delete from operator_recon_orders')
    await client.query(
      `insert into operator_recon_orders (order_id, reason)
       select id, 'found' from unnest($1::bigint[]) id
       union all
       select distinct id, 'open' from pg_temp.verify_start, unnest(open_orders) id
        where id <> all($1::bigint[])`,
      [orderIds],
    )
    await client.query('delete from operator_recon_bank_orders')
    await client.query(
      'insert into operator_recon_bank_orders (bank_key) select distinct unnest($1::text[])',
      [bankKeys],
    )
  })
}
