import type pg from 'pg'
import { bankDaysBetween, latestDayBefore } from '../../../domain/settlement/bank-days.ts'
import type { DifferenceCode, DifferenceEnd } from '../../../domain/settlement/difference.ts'
import type {
  DifferenceFilter,
  DifferenceLine,
  DifferencePage,
  DifferenceReader,
  DifferenceTotal,
  DifferenceView,
} from '../../../usecases/settlement/difference-store.ts'
import { SOURCE_TODAY } from './source-day.ts'

interface Row {
  readonly id: string
  readonly code: DifferenceCode
  readonly state: 'open' | 'ended'
  readonly merchant_id: string
  readonly merchant_account_id: string
  readonly file_id: string | null
  readonly n: number | null
  readonly transaction_id: string | null
  readonly order_id: string | null
  readonly payout_id: string | null
  readonly entry_id: string | null
  readonly dispute_id: string | null
  readonly proposal: readonly string[]
  readonly here_minor: string | null
  readonly here_currency: string | null
  readonly bank_minor: string | null
  readonly bank_currency: string | null
  readonly since: string
  readonly until: string
  readonly currency: string
  readonly owner: string
  readonly ended_as: DifferenceEnd | null
  readonly ended_by: string | null
  readonly ended_at: Date | null
  readonly ended_reason: string | null
}

/** The age of an ended difference stopped at its end. */
const SELECT = (now: string): string => `
select d.id, d.code, d.state, d.merchant_id, s.merchant_account_id, d.file_id, d.n,
       d.transaction_id, d.order_id, d.payout_id, d.entry_id, d.dispute_id,
       d.proposal::text[], d.here_minor, d.here_currency, d.bank_minor, d.bank_currency,
       d.since::text,
       ${SOURCE_TODAY(`coalesce(d.ended_at, ${now})`)}::text as until,
       s.currency, d.owner, d.ended_as, d.ended_by, d.ended_at, d.ended_reason
  from settlement_differences d join settlement_sources s on s.id = d.source_id`

/** $1 to $8 are those of `filterValues`. */
const FOUND = `($1::bigint is null or d.merchant_id = $1)
        and ($2::bigint is null or s.merchant_account_id = $2)
        and ($3::text is null or d.state = $3)
        and ($4::text is null or d.code = $4)
        and ($5::text is null or d.owner = $5)
        and ($6::bigint[] is null or exists (
          select from unnest($6::bigint[], $7::date[]) as last(source_id, since)
           where last.source_id = d.source_id and d.since <= last.since))
        and ($8::text is null or $8 in (d.here_currency, d.bank_currency))`

/** Reads differences for operators and, within a merchant, for portal users. */
export function createDifferenceReader(pool: pg.Pool): DifferenceReader {
  return {
    list: (filter, page, now) => list(pool, filter, page, now),
    total: (filter, now) => total(pool, filter, now),
    async read(id, merchantId, now) {
      const { rows } = await pool.query<Row>(
        `${SELECT('$1')} where d.id = $2 and ($3::bigint is null or d.merchant_id = $3)`,
        [now, id, merchantId],
      )
      const [row] = rows
      if (row === undefined) return null
      const { rows: notes } = await pool.query<{ author: string; at: Date; text: string }>(
        `select author, written_at as at, content as text from settlement_difference_notes
          where difference_id = $1 order by number`,
        [id],
      )
      return { ...viewOf(row), notes, fileLine: await readLine(pool, row) }
    },
  }
}

async function list(
  pool: pg.Pool,
  filter: DifferenceFilter,
  { after, limit }: DifferencePage,
  now: Date,
): Promise<readonly DifferenceView[]> {
  const { rows } = await pool.query<Row>(
    `${SELECT('$9')}
      where ${FOUND}
        and ($10::bigint is null or (d.since, d.id) >
              (select p.since, p.id from settlement_differences p where p.id = $10))
      order by d.since, d.id limit $11`,
    [...(await filterValues(pool, filter, now)), now, after, limit],
  )
  return rows.map(viewOf)
}

async function total(
  pool: pg.Pool,
  filter: DifferenceFilter,
  now: Date,
): Promise<readonly DifferenceTotal[]> {
  const { rows } = await pool.query<{
    currency: string
    count: number
    here: string
    bank: string
  }>(
    `with found as (
       select d.* from settlement_differences d join settlement_sources s on s.id = d.source_id
        where ${FOUND})
     select currency, count(distinct id)::int as count, sum(here) as here, sum(bank) as bank
       from (select id, here_currency as currency, here_minor as here, 0 as bank from found
              where here_currency is not null
             union all
             select id, bank_currency, 0, bank_minor from found
              where bank_currency is not null) side
      group by currency order by currency`,
    await filterValues(pool, filter, now),
  )
  return rows.map(({ bank, count, currency, here }) => ({
    currency,
    count,
    hereMinor: BigInt(here),
    bankMinor: BigInt(bank),
  }))
}

/** The age counts bank days, which differ by currency: each source has a last day of its own. */
async function filterValues(
  pool: pg.Pool,
  filter: DifferenceFilter,
  now: Date,
): Promise<unknown[]> {
  const { code, currency, merchantAccountId, merchantId, olderThanBankDays, owner, state } = filter
  const values = [merchantId, merchantAccountId, state, code, owner]
  if (olderThanBankDays === null) return [...values, null, null, currency]
  const { rows } = await pool.query<{ id: string; today: string; currency: string }>(
    `select s.id, ${SOURCE_TODAY('$1')}::text as today, s.currency from settlement_sources s
      where $2::bigint is null or s.merchant_id = $2`,
    [now, merchantId],
  )
  return [
    ...values,
    rows.map(({ id }) => id),
    rows.map((row) => latestDayBefore(row.today, olderThanBankDays, row.currency)),
    currency,
  ]
}

async function readLine(
  pool: pg.Pool,
  { file_id: fileId, n }: Row,
): Promise<DifferenceLine | null> {
  if (fileId === null) return null
  const { rows } = await pool.query<{
    seq: string
    currency: string
    line_id: string
    kind: string
    gross_minor: string
    net_minor: string
    value_date: string
    order_key: string | null
    rrn: string | null
    arn: string | null
    reason: string | null
    payout_id: string | null
  }>(
    `select f.seq, s.currency, l.line_id, l.kind, l.gross_minor, l.net_minor,
            l.value_date::text, l.order_key, l.rrn, l.arn, l.reason,
            (select p.id from settlement_payouts p
              where p.source_id = f.source_id and (p.file_id, p.n) >= (l.file_id, l.n)
              order by p.file_id, p.n limit 1) as payout_id
       from settlement_lines l
       join settlement_files f on f.id = l.file_id
       join settlement_sources s on s.id = f.source_id
      where l.file_id = $1 and l.n = $2`,
    [fileId, n],
  )
  const [row] = rows
  if (row === undefined) return null
  const { arn, currency, kind, reason, rrn } = row
  return {
    arn,
    currency,
    kind,
    reason,
    rrn,
    fileSequence: BigInt(row.seq),
    lineId: row.line_id,
    grossMinor: BigInt(row.gross_minor),
    netMinor: BigInt(row.net_minor),
    valueDate: row.value_date,
    orderKey: row.order_key,
    payoutId: idOf(row.payout_id),
  }
}

function viewOf(row: Row): DifferenceView {
  const side = (minor: string | null, currency: string | null): DifferenceView['here'] =>
    minor === null || currency === null ? null : { minor: BigInt(minor), currency }
  const { code, n: line, owner, since, state } = row
  return {
    code,
    state,
    line,
    since,
    owner,
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    merchantAccountId: BigInt(row.merchant_account_id),
    fileId: idOf(row.file_id),
    transactionId: idOf(row.transaction_id),
    orderId: idOf(row.order_id),
    payoutId: idOf(row.payout_id),
    entryId: idOf(row.entry_id),
    disputeId: idOf(row.dispute_id),
    proposal: row.proposal.map(BigInt),
    here: side(row.here_minor, row.here_currency),
    bank: side(row.bank_minor, row.bank_currency),
    ageBankDays: bankDaysBetween(since, row.until, row.currency),
    end:
      row.ended_as === null || row.ended_at === null
        ? null
        : {
            as: row.ended_as,
            by: row.ended_by ?? '',
            at: row.ended_at,
            reason: row.ended_reason ?? '',
          },
    notes: [],
  }
}

function idOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}
