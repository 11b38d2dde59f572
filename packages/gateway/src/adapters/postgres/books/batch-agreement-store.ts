import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { findCurrency } from '../../../domain/currency.ts'
import type {
  AgreementStore,
  BatchContent,
  DueTotals,
} from '../../../usecases/books/batch-agreement.ts'
import type { MessageIdentity } from '../../../usecases/payments/payment-store.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { AUDITED, inTransaction } from '../connection/transaction.ts'
import { accountColumns, merchantAccount, type AccountRow } from '../merchants/account-rows.ts'
import { moveUnanswered } from './batch-closing.ts'
import { comparisonOfBatches } from './batch-comparison-store.ts'
import { countInSlices } from './batch-count.ts'
import { recordBatchFact } from './batch-facts.ts'
import { batchSumData, batchSumText } from './batch-sum-text.ts'
import { readFigures, writeFigures } from './brand-figures.ts'

/** Batches that are being closed. */
const CLOSING = `select id from batches where agreement = 'closing' order by id`

/** Whether the bank still owes an answer that decides what its batch $1 holds. */
const IS_WAITING = `
select exists (select from advices where batch_id = $1 and state = 'queued')
    -- Sent with this batch before it was moved: the bank may have counted it here.
    or exists (select from advices a join orders o on o.id = a.order_id
                where a.left_batch_id <= $1 and a.batch_id > $1 and a.state = 'queued'
                  and o.merchant_account_id =
                      (select b.merchant_account_id from batches b where b.id = $1))
    or exists (select from advices r
                 join advices c on c.order_id = r.order_id and c.message_number = r.original_number
                where r.state = 'queued' and r.kind = 'reversal' and c.kind <> 'reversal'
                  and c.batch_id = $1) as waiting`

/** Whether the acquirer of batch `b`'s account agrees on batches; the bundled bank does. */
const AGREES = `b.named_to_bank and coalesce((select l.batch_agreement from merchant_accounts m
                            join processor_links l on l.id = m.processor_link_id
                           where m.id = b.merchant_account_id), true)`

/** The agreement of batches in the database. */
export function createAgreementStore(pool: pg.Pool): AgreementStore {
  return {
    async findClosing() {
      const { rows } = await pool.query<{ id: string }>(CLOSING)
      return rows.map(({ id }) => BigInt(id))
    },
    moveUnanswered: (batchId) => moveUnanswered(pool, batchId),
    async count(batchId) {
      const { rows: found } = await pool.query<{ waiting: boolean; agrees: boolean }>(
        `select w.waiting, ${AGREES} as agrees from batches b, (${IS_WAITING}) w where b.id = $1`,
        [batchId],
      )
      const [batch] = found
      if (batch === undefined || batch.waiting) return null
      const content = await countInSlices(pool, batchId)
      return batch.agrees ? content : { ...content, totals: new Map<string, never>() }
    },
    fix: (batchId, content, messages, by) => fixBatch(pool, batchId, content, messages, by),
    async takeTotals(limit, now, until) {
      const { rows } = await pool.query<DueRow>(TAKE_TOTALS, [now, until, limit])
      return rows.map(dueTotals)
    },
    async postponeTotals({ request }, nextTryAt, responseCode) {
      await pool.query(
        `update batch_agreements
            set next_try_at = $3, response_code = coalesce($4, response_code)
          where batch_id = $1 and currency = $2 and state = 'queued'`,
        [request.batchId, request.currency.code, nextTryAt, responseCode],
      )
    },
    answerTotals: (due, answer, at, by) => answerTotals(pool, due, answer, at, by),
    ...comparisonOfBatches(pool),
  }
}

const WRITE_SUMS = `
insert into batch_sums (batch_id, currency, action, brand, transactions, amount_minor, voided_minor)
select $1, s.* from unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
                           $7::bigint[]) s`

/** Stores the counted sums and totals, and the intents of the 0500s. */
async function fixBatch(
  pool: pg.Pool,
  batchId: bigint,
  { sums, totals }: BatchContent,
  messages: readonly MessageIdentity[],
  by: string,
): Promise<void> {
  await inTransaction(pool, AUDITED, async (client) => {
    const { rows } = await client.query<{ merchant_id: string }>(
      `select merchant_id from batches where id = $1 and agreement = 'closing' for update`,
      [batchId],
    )
    const [batch] = rows
    if (batch === undefined) return
    await client.query(WRITE_SUMS, [
      batchId,
      sums.map(({ currency }) => currency),
      sums.map(({ action }) => action),
      sums.map(({ brand }) => brand),
      sums.map(({ transactions }) => transactions),
      sums.map(({ amountMinor }) => amountMinor.toString()),
      sums.map(({ voidedMinor }) => voidedMinor.toString()),
    ])
    for (const [at, [currency, brands]] of [...totals].entries()) {
      const message = messages[at]
      invariant(message !== undefined, 'a currency has no message')
      await client.query(
        `insert into batch_agreements
           (batch_id, currency, message_number, message_at, next_try_at, totals)
         values ($1, $2, $3, $4, $4, $5)`,
        [batchId, currency, message.number, message.at, writeFigures(brands)],
      )
    }
    await client.query('update batches set agreement = $2 where id = $1', [
      batchId,
      totals.size === 0 ? 'none' : 'agreeing',
    ])
    const data = {
      agreement: totals.size === 0 ? 'off' : 'asked',
      sums: sums.map(batchSumData),
    }
    await recordBatchFact(client, 'batch.closed', batchId, data)
    await appendAudit(client, [
      {
        actor: by,
        operation: 'batch.counted',
        object: `batch ${batchId}`,
        merchantId: BigInt(batch.merchant_id),
        result: 'done',
        details: {
          agreement: totals.size === 0 ? 'off' : 'asked',
          sums: sums.map(batchSumText),
        },
      },
    ])
  })
}

const TAKE_TOTALS = `
with due as (
  select batch_id, currency from batch_agreements
   where state = 'queued' and next_try_at <= $1
   order by next_try_at limit $3 for update skip locked
), taken as (
  update batch_agreements g set next_try_at = $2, tries = g.tries + 1
    from due where g.batch_id = due.batch_id and g.currency = due.currency
  returning g.*
)
select t.batch_id, t.currency, t.message_number, t.message_at, t.tries, t.totals, b.closed_at,
       ${accountColumns('m')}
  from taken t
  join batches b on b.id = t.batch_id
  join merchant_accounts m on m.id = b.merchant_account_id`

interface DueRow extends AccountRow {
  readonly batch_id: string
  readonly currency: string
  readonly message_number: string
  readonly message_at: Date
  readonly tries: number
  readonly totals: unknown
  readonly closed_at: Date
}

function dueTotals(row: DueRow): DueTotals {
  const currency = findCurrency(row.currency)
  invariant(currency !== null, 'the totals of a batch have an unknown currency')
  return {
    tries: row.tries,
    request: {
      message: { number: BigInt(row.message_number), at: row.message_at },
      repeat: row.tries > 1,
      account: merchantAccount(row),
      batchId: BigInt(row.batch_id),
      currency,
      closedAt: row.closed_at,
      brands: readFigures(row.totals),
    },
  }
}

async function answerTotals(
  pool: pg.Pool,
  { request }: DueTotals,
  answer: Parameters<AgreementStore['answerTotals']>[1],
  at: Date,
  by: string,
): Promise<void> {
  const { batchId, currency } = request
  await inTransaction(pool, AUDITED, async (client) => {
    // Two answers of one batch come one after the other, so the last one sees the first.
    const { rows } = await client.query<{ merchant_id: string }>(
      `select merchant_id from batches where id = $1 and agreement = 'agreeing' for update`,
      [batchId],
    )
    const [batch] = rows
    if (batch === undefined) return
    await client.query(
      `update batch_agreements
          set state = 'answered', in_balance = $3, response_code = $4, bank_totals = $5,
              answered_at = $6
        where batch_id = $1 and currency = $2 and state = 'queued'`,
      [
        batchId,
        currency.code,
        answer.inBalance,
        answer.responseCode,
        writeFigures(answer.brands),
        at,
      ],
    )
    const { rows: states } = await client.query<{ queued: boolean; agreed: boolean }>(
      `select bool_or(state = 'queued') as queued, bool_and(in_balance) as agreed
         from batch_agreements where batch_id = $1`,
      [batchId],
    )
    const [state] = states
    if (state === undefined || state.queued) return
    if (!state.agreed) {
      await client.query(`update batches set agreement = 'comparing' where id = $1`, [batchId])
      return
    }
    await client.query(`update batches set agreement = 'agreed', agreed_at = $2 where id = $1`, [
      batchId,
      at,
    ])
    await recordBatchFact(client, 'batch.agreed', batchId, {})
    await appendAudit(client, [
      {
        actor: by,
        operation: 'batch.agreed',
        object: `batch ${batchId}`,
        merchantId: BigInt(batch.merchant_id),
        result: 'done',
      },
    ])
  })
}
