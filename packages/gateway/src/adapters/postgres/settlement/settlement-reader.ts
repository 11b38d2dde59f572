import type pg from 'pg'
import type {
  PayoutView,
  SettlementFileView,
  SettlementReader,
  SettlementTotals,
} from '../../../usecases/settlement/file-views.ts'

const FILES = `
select f.id, s.merchant_account_id, s.sender, s.account, s.currency, f.seq, f.state,
       f.business_date::text, f.value_date::text, f.lines, f.opening_minor, f.gross_minor,
       f.fees_minor, f.net_minor, f.closing_minor, f.content_sha256, f.mapping, f.mapping_version,
       f.booked_at, f.booked_by, f.by_kind
  from settlement_files f join settlement_sources s on s.id = f.source_id`

interface FileRow extends Record<string, unknown> {
  readonly sender: string
  readonly account: string
  readonly currency: string
  readonly state: 'staging' | 'booked'
  readonly business_date: string
  readonly value_date: string
  readonly lines: number
  readonly content_sha256: string
  readonly mapping: string
  readonly mapping_version: number | null
  readonly booked_at: Date | null
  readonly booked_by: string | null
  readonly by_kind: Readonly<Record<string, readonly [number, string]>>
}

const PAYOUTS = `
select id, file_id, n, state, payout, trace, currency, carried_minor, gross_minor, refunds_minor,
       chargebacks_minor, fees_minor, reserve_minor, other_minor, left_minor, net_minor,
       value_date::text, arrives::text
  from settlement_payouts where file_id = $1 order by n`

interface PayoutRow extends Record<string, unknown> {
  readonly n: number
  readonly state: PayoutView['state']
  readonly payout: string | null
  readonly trace: string | null
  readonly currency: string
  readonly value_date: string
  readonly arrives: string | null
}

const TOTALS = `
with expected as (
  select b.merchant_account_id, a.mode, o.currency,
         case when t.kind = 'refund' then -1 else 1 end * (t.value_minor - t.voided_minor) as minor,
         case when x.state is not null then x.state
              when exists (select from settlement_differences d
                            where d.transaction_id = t.id
                               or (d.state = 'open' and t.id = any (d.proposal)))
                then 'differing'
              else 'waiting' end as standing
    from (select merchant_account_id, min(since) as since from settlement_sources
           group by merchant_account_id) s
    join merchant_accounts a on a.id = s.merchant_account_id
    join batches b on b.merchant_account_id = a.id and b.closed_at is not null
    join transactions t on t.batch_id = b.id and t.kind in ('sale', 'capture', 'refund')
         and t.state = 'approved' and t.value_minor > t.voided_minor
    join merchants m on m.id = t.merchant_id
    join orders o on o.id = t.order_id
    left join settled_transactions x on x.transaction_id = t.id
   where (t.concluded_at at time zone m.time_zone)::date >= s.since
)
select merchant_account_id, mode, currency,
       ${['settled', 'rejected', 'differing', 'waiting']
         .map(
           (standing) => `
       count(*) filter (where standing = '${standing}') as ${standing},
       coalesce(sum(minor) filter (where standing = '${standing}'), 0) as ${standing}_minor`,
         )
         .join(',')}
  from expected group by merchant_account_id, mode, currency order by 1, 3`

/** Reads files, payouts and the standing of captures and refunds. */
export function createSettlementReader(pool: pg.Pool): SettlementReader {
  return {
    async listFiles(limit) {
      const { rows } = await pool.query<FileRow>(`${FILES} order by f.id desc limit $1`, [limit])
      return rows.map(fileOf)
    },
    async readFile(id) {
      const { rows } = await pool.query<FileRow>(`${FILES} where f.id = $1`, [id])
      const [row] = rows
      if (row === undefined) return null
      const { rows: payouts } = await pool.query<PayoutRow>(PAYOUTS, [id])
      const { rows: codes } = await pool.query<{ code: string; count: string }>(
        `select code, count(*) from settlement_differences where file_id = $1
          group by code order by code`,
        [id],
      )
      return {
        file: fileOf(row),
        payouts: payouts.map(payoutOf),
        differences: new Map(codes.map(({ code, count }) => [code, Number(count)])),
      }
    },
    async readTotals() {
      const { rows } = await pool.query<Record<string, string>>(TOTALS)
      return rows.map(totalsOf)
    },
  }
}

function fileOf(row: FileRow): SettlementFileView {
  const { account, currency, lines, sender, state } = row
  return {
    account,
    currency,
    lines,
    sender,
    state,
    id: minor(row['id']),
    merchantAccountId: minor(row['merchant_account_id']),
    seq: minor(row['seq']),
    businessDate: row.business_date,
    valueDate: row.value_date,
    openingMinor: minor(row['opening_minor']),
    grossMinor: minor(row['gross_minor']),
    feesMinor: minor(row['fees_minor']),
    netMinor: minor(row['net_minor']),
    closingMinor: minor(row['closing_minor']),
    contentSha256: row.content_sha256,
    mapping:
      row.mapping_version === null ? null : { name: row.mapping, version: row.mapping_version },
    bookedAt: row.booked_at,
    bookedBy: row.booked_by,
    byKind: Object.entries(row.by_kind).map(([kind, [count, net]]) => ({
      kind,
      count,
      netMinor: BigInt(net),
    })),
  }
}

function payoutOf(row: PayoutRow): PayoutView {
  const { arrives, currency, n: line, payout, state, trace } = row
  return {
    arrives,
    currency,
    line,
    payout,
    state,
    trace,
    id: minor(row['id']),
    fileId: minor(row['file_id']),
    carriedMinor: minor(row['carried_minor']),
    grossMinor: minor(row['gross_minor']),
    refundsMinor: minor(row['refunds_minor']),
    chargebacksMinor: minor(row['chargebacks_minor']),
    feesMinor: minor(row['fees_minor']),
    reserveMinor: minor(row['reserve_minor']),
    otherMinor: minor(row['other_minor']),
    leftMinor: minor(row['left_minor']),
    netMinor: minor(row['net_minor']),
    valueDate: row.value_date,
  }
}

function totalsOf(row: Record<string, string>): SettlementTotals {
  const figure = (name: string) => ({
    count: Number(row[name]),
    minor: minor(row[`${name}_minor`]),
  })
  return {
    merchantAccountId: minor(row['merchant_account_id']),
    mode: row['mode'] === 'live' ? 'live' : 'test',
    currency: row['currency'] ?? '',
    settled: figure('settled'),
    rejected: figure('rejected'),
    differing: figure('differing'),
    waiting: figure('waiting'),
  }
}

/** A bigint of the database, which the driver gives as text. */
function minor(value: unknown): bigint {
  return BigInt(String(value))
}
