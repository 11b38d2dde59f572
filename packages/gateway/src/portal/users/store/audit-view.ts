import type pg from 'pg'
import { storedNamesOf } from '../../../usecases/audit/former-operations.ts'
import type { AuditPage, AuditRow, AuditView } from '../usecases/audit-view.ts'

/**
 * Entries of the merchant that one page looks through at most: filters have no index of their own.
 */
const LOOKED_THROUGH = 20_000

interface EntryRow {
  readonly number: string
  readonly at: Date
  readonly actor: string
  readonly operation: string
  readonly object: string
  readonly address: string
  readonly result: AuditRow['result']
  readonly details: string
  /** Whether the filter lets it through; the last one that was looked at is given in any case. */
  readonly fits: boolean
}

// The pattern of a search is text that portal users type: its own signs count as themselves.
const PAGE = `
with looked as materialized (
  select * from audit_entries where merchant_id = $1 and number < $2 order by number desc limit $3
), judged as (
  select number, at, actor, operation, object, address, result, details,
         ($4::text is null or strpos(lower(actor), lower($4)) > 0)
     and ($5::text[] is null or operation = any ($5) or exists (
           select from unnest($5) n where right(n, 1) = '.' and starts_with(operation, n)))
     and ($6::text is null or strpos(lower(object), lower($6)) > 0)
     and ($7::text is null or result = $7)
     and ($8::timestamptz is null or at >= $8) as fits
    from looked
), last as (
  select min(number) as number, count(*) as count, min(at) < $8 as is_past from looked
)
select j.*, l.number as last_number, l.count = $3 and l.is_past is not true as goes_on
  from last l left join lateral (
    select * from judged where fits order by number desc limit $9) j on true
 order by j.number desc`

/** A merchant's own entries of the audit log. */
export function createAuditView(pool: pg.Pool): AuditView {
  /** The first number at or after a time; entries are numbered in the sequence of their times. */
  async function numberAt(time: Date): Promise<bigint> {
    const { rows: ends } = await pool.query<{ high: string }>(
      'select number::text as high from audit_head',
    )
    let low = 1n
    let high = BigInt(ends[0]?.high ?? 0) + 1n
    while (low < high) {
      const middle = (low + high) / 2n
      const { rows } = await pool.query<{ before: boolean }>(
        'select at < $2 as before from audit_entries where number >= $1 order by number limit 1',
        [middle, time],
      )
      if (rows[0]?.before === true) low = middle + 1n
      else high = middle
    }
    return low
  }

  return {
    async page(merchantId, filter, before, limit) {
      const { until } = filter
      const bound = until === null ? null : await numberAt(until)
      const from = smaller(before, bound) ?? 9_223_372_036_854_775_807n
      const { rows } = await pool.query<
        EntryRow & { last_number: string | null; goes_on: boolean }
      >(PAGE, [
        merchantId,
        from,
        LOOKED_THROUGH,
        filter.actor,
        filter.operation && storedNamesOf(filter.operation),
        filter.object,
        filter.result,
        filter.since,
        limit + 1,
      ])
      const found = rows.filter(({ number }) => number !== null)
      const shown = found.slice(0, limit)
      const next =
        found.length > limit
          ? (shown.at(-1)?.number ?? null)
          : rows[0]?.goes_on === true
            ? rows[0].last_number
            : null
      return {
        entries: shown.map(entryOf),
        next: next === null ? null : BigInt(next),
      } satisfies AuditPage
    },
  }
}

function smaller(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b
  return a < b ? a : b
}

function entryOf(row: EntryRow): AuditRow {
  const { number, at, actor, operation, object, address, result } = row
  return {
    number: BigInt(number),
    at,
    actor,
    operation,
    object,
    address,
    result,
    details: JSON.parse(row.details) as AuditRow['details'],
  }
}
