import type pg from 'pg'
import { findCurrency } from '../../../domain/currency.ts'
import type { AgreementStore, CurrencyDifference } from '../../../usecases/books/batch-agreement.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { AUDITED, inTransaction } from '../connection/transaction.ts'
import { accountColumns, merchantAccount, type AccountRow } from '../merchants/account-rows.ts'
import { recordBatchFact } from './batch-facts.ts'

type Comparison = Pick<AgreementStore, 'takeComparison' | 'readOwnDetail' | 'finishComparison'>

const TAKE = `
with due as (
  select id from batches
   where agreement = 'comparing' and (compared_until is null or compared_until <= $1)
   order by id limit 1 for update skip locked
), taken as (
  update batches b set compared_until = $2 from due where b.id = due.id returning b.*
)
select t.id, array(select g.currency::text from batch_agreements g
                    where g.batch_id = t.id and not g.in_balance order by g.currency) as currencies,
       ${accountColumns('m')}
  from taken t
  join merchant_accounts m on m.id = t.merchant_account_id`

const OWN_DETAIL = `
select a.message_number, a.kind, t.value_minor, t.voided_minor, t.id, t.order_id
  from transactions t
  join orders o on o.id = t.order_id
  join advices a on a.transaction_id = t.id and a.kind in ('capture', 'refund')
 where t.batch_id = $1 and t.kind in ('sale', 'capture', 'refund') and t.state = 'approved'
   and o.currency = $2 and o.kind = 'payment'`

const INSERT_DIFFERENCES = `
insert into batch_differences
  (batch_id, number, currency, kind, transaction_id, order_id, message_number, gateway_minor,
   gateway_voided_minor, bank_minor, bank_voided_minor)
select $1, d.position, d.currency, d.kind, d.transaction_id, d.order_id, d.message_number,
       d.gateway_minor, d.gateway_voided_minor, d.bank_minor, d.bank_voided_minor
  from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
              $8::bigint[], $9::bigint[], $10::bigint[]) with ordinality
    as d (currency, kind, transaction_id, order_id, message_number, gateway_minor,
          gateway_voided_minor, bank_minor, bank_voided_minor, position)`

/** The comparison of batches whose totals differ from the bank's. */
export function comparisonOfBatches(pool: pg.Pool): Comparison {
  return {
    async takeComparison(now, until) {
      const { rows } = await pool.query<
        AccountRow & { readonly id: string; readonly currencies: string[] }
      >(TAKE, [now, until])
      const [row] = rows
      if (row === undefined) return null
      return {
        batchId: BigInt(row.id),
        account: merchantAccount(row),
        currencies: row.currencies.map(findCurrency).filter((currency) => currency !== null),
      }
    },
    async readOwnDetail(batchId, currency) {
      const { rows } = await pool.query<{
        message_number: string
        kind: 'capture' | 'refund'
        value_minor: string
        voided_minor: string
        id: string
        order_id: string
      }>(OWN_DETAIL, [batchId, currency])
      return rows.map((row) => ({
        messageNumber: BigInt(row.message_number),
        kind: row.kind,
        amountMinor: BigInt(row.value_minor),
        voidedMinor: BigInt(row.voided_minor),
        transactionId: BigInt(row.id),
        orderId: BigInt(row.order_id),
      }))
    },
    finishComparison: (batchId, differences, at, by) =>
      inTransaction(pool, AUDITED, async (client) => {
        const { rows } = await client.query<{ merchant_id: string }>(
          `select merchant_id from batches where id = $1 and agreement = 'comparing' for update`,
          [batchId],
        )
        const [batch] = rows
        if (batch === undefined) return
        await writeDifferences(client, batchId, differences)
        await client.query(
          `update batches set agreement = 'differing', agreed_at = $2 where id = $1`,
          [batchId, at],
        )
        const data = { differences: differences.length }
        await recordBatchFact(client, 'batch.differs', batchId, data)
        await appendAudit(client, [
          {
            actor: by,
            operation: 'batch.differs',
            object: `batch ${batchId}`,
            merchantId: BigInt(batch.merchant_id),
            result: 'done',
            details: { rows: differences.length },
          },
        ])
      }),
  }
}

async function writeDifferences(
  client: pg.ClientBase,
  batchId: bigint,
  differences: readonly CurrencyDifference[],
): Promise<void> {
  await client.query(INSERT_DIFFERENCES, [
    batchId,
    differences.map(({ currency }) => currency),
    differences.map(({ kind }) => kind),
    differences.map(({ own }) => own?.transactionId ?? null),
    differences.map(({ own }) => own?.orderId ?? null),
    differences.map(({ messageNumber }) => messageNumber),
    differences.map(({ own }) => own?.amountMinor ?? null),
    differences.map(({ own }) => own?.voidedMinor ?? null),
    differences.map(({ bank }) => bank?.amountMinor ?? null),
    differences.map(({ bank }) => bank?.voidedMinor ?? null),
  ])
}

/** Seconds since the cut-off of the oldest batch on its way to an agreement; 0 without one. */
export async function readOldestUnagreed(pool: pg.Pool, now: Date): Promise<number> {
  const { rows } = await pool.query<{ closed_at: Date | null }>(
    `select min(closed_at) as closed_at from batches
      where agreement in ('closing', 'agreeing', 'comparing')`,
  )
  const closedAt = rows[0]?.closed_at ?? null
  return closedAt === null
    ? 0
    : Math.max(0, Math.floor((now.getTime() - closedAt.getTime()) / 1_000))
}
