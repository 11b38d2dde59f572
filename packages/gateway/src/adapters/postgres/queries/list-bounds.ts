import { invariant } from '../../../base/invariant.ts'
import type { ListBounds } from '../../../domain/queries/list-cursor.ts'
import type { ListFilter } from '../../../usecases/queries/list-reader.ts'
import { micros, type Client, type ListSource } from './list-source.ts'

/**
 * A row gets its time before its statement begins: at most the time of a request and of its repeats
 * lies between. A statement that was sent is an open transaction, whose age is added.
 */
const LATEST_S = 60

const OPEN_FOR = `
select coalesce(max(clock_timestamp() - x.xact_start), interval '0')
       + interval '${LATEST_S} seconds' as late
  from pg_stat_activity x
 where x.datname = current_database() and x.backend_xid is not null`

/**
 * $2 is the time of the machine, $3 a site. Rows have the time of their site: the watermark is the
 * latest of the clocks, and the list is complete up to the earliest. Between the times of a clock
 * that moves lie rows that are being made.
 */
const BY_TIME = `
with o as materialized (${OPEN_FOR})
select ${micros('coalesce(max(site_time(s.id, $2)), $2::timestamptz)')} as watermark,
       case when not bool_or(coalesce(k.target_at is not null or k.speed > 1
                                      or k.real_at > $2::timestamptz - o.late, false))
            then ${micros('min(site_time(s.id, $2::timestamptz - o.late))')} end as complete
  from sites s
 cross join o
  left join site_clocks k on k.site_id = s.id
 where s.merchant_id = $1 and ($3::bigint is null or s.id = $3)`

const byId = (table: string): string => `
with o as materialized (${OPEN_FOR})
select coalesce((select max(r.id) from ${table} r where r.merchant_id = $1), 0) as watermark,
       ${micros('$2::timestamptz - o.late')} as complete
  from o`

/** The bounds of a list that begins now. */
export async function readBounds(
  client: Client,
  { isOwnTime, markedBy, table }: ListSource,
  { merchantId, values }: ListFilter,
  now: Date,
): Promise<ListBounds> {
  const { rows } =
    markedBy === 'time'
      ? await client.query<{ watermark: string; complete: string | null }>({
          name: 'bounds of a list by time',
          text: BY_TIME,
          values: [merchantId, now, values.get('site') ?? null],
        })
      : await client.query<{ watermark: string; complete: string | null }>({
          name: `bounds of the list ${table}`,
          text: byId(table),
          values: [merchantId, now],
        })
  const [row] = rows
  invariant(row !== undefined, 'a list has no bounds')
  return {
    watermark: BigInt(row.watermark),
    completeMicros: isOwnTime && row.complete !== null ? BigInt(row.complete) : null,
  }
}
