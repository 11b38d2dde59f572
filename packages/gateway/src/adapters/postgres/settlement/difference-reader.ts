import type pg from 'pg'
import { bankDaysBetween } from '../../../domain/settlement/bank-days.ts'
import type { DifferenceCode, DifferenceEnd } from '../../../domain/settlement/difference.ts'
import type {
  DifferenceFilter,
  DifferenceReader,
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

/** $1 is the time now. The age of an ended difference stopped at its end. */
const SELECT = `
select d.id, d.code, d.state, d.merchant_id, s.merchant_account_id, d.file_id, d.n,
       d.transaction_id, d.order_id, d.payout_id, d.entry_id, d.proposal::text[], d.here_minor,
       d.here_currency,
       d.bank_minor, d.bank_currency, d.since::text,
       ${SOURCE_TODAY('coalesce(d.ended_at, $1)')}::text as until,
       s.currency, d.owner, d.ended_as, d.ended_by, d.ended_at, d.ended_reason
  from settlement_differences d join settlement_sources s on s.id = d.source_id`

/** Reads differences for operators and, within a merchant, for portal users. */
export function createDifferenceReader(pool: pg.Pool): DifferenceReader {
  return {
    list: (filter, now) => list(pool, filter, now),
    async read(id, now) {
      const { rows } = await pool.query<Row>(`${SELECT} where d.id = $2`, [now, id])
      const [row] = rows
      if (row === undefined) return null
      const { rows: notes } = await pool.query<{ author: string; at: Date; text: string }>(
        `select author, written_at as at, content as text from settlement_difference_notes
          where difference_id = $1 order by number`,
        [id],
      )
      return { ...viewOf(row), notes }
    },
  }
}

async function list(
  pool: pg.Pool,
  { limit, merchantAccountId, merchantId, state }: DifferenceFilter,
  now: Date,
): Promise<readonly DifferenceView[]> {
  const { rows } = await pool.query<Row>(
    `${SELECT}
      where ($2::bigint is null or d.merchant_id = $2)
        and ($3::bigint is null or s.merchant_account_id = $3)
        and ($4::text is null or d.state = $4)
      order by d.since, d.id limit $5`,
    [now, merchantId, merchantAccountId, state, limit],
  )
  return rows.map(viewOf)
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
