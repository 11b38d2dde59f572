import { createHash } from 'node:crypto'
import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { FeedBounds } from '../../../domain/events/judge-cursor.ts'
import type { FeedReader, PlacedFact, RecordedFact } from '../../../usecases/events/event-store.ts'
import { readFacts, type EventRow } from './recorded-facts.ts'

const BOUNDS = `
select h.position as last, 
       coalesce((select min(first_position) - 1 from event_days), h.position) as before_oldest,
       (select json_agg(json_build_array(e.epoch, e.first_position::text) order by e.epoch)
          from event_epochs e) as epochs
  from event_head h`

// By name: a column that a newer version adds would change the result of a prepared statement.
// PostgreSQL refuses that.
const columnsOf = (table: string): string =>
  ['position', 'merchant_id', 'site_id', 'type', 'object_id', 'sequence', 'transaction_id']
    .concat(['salt', 'at', 'recorded_at', 'details'])
    .map((column) => `${table}.${column}`)
    .join(', ')

/**
 * Positions follow each other as days do, so that the partitions before the cursor's day are left
 * out. At most $5 events of the merchant are looked at, however few of them pass the filter.
 */
const PAGE = `
with looked_at as materialized (
  select * from events
   where merchant_id = $1
     and day >= coalesce((select max(day) from event_days where first_position <= $2 + 1),
                         '-infinity')
     and position > $2
   order by day, position limit $5
)
select ${columnsOf('l')}, (select max(position) from looked_at) as last_looked_at,
       (select count(*) from looked_at)::int as looked_at
  from (select) as one
  left join lateral (
    select * from looked_at
     where ($3::bigint is null or site_id = $3)
       and (cardinality($4::text[]) = 0
            or exists (select from unnest($4::text[]) as f (wanted)
                        where type = wanted
                           or right(wanted, 1) = '.' and starts_with(type, wanted)))
     order by position limit $6) l on true
 order by l.position`

const LOOKED_AT_ONCE = 10_000

interface PageRow extends EventRow {
  /** Null in the only row of a page without an event; so is the rest of the event. */
  readonly position: string | null
  readonly sequence: string
  readonly salt: string
  readonly recorded_at: Date
  readonly last_looked_at: string | null
  readonly looked_at: number
}

/** Reads on connections of its own: no payment waits for the readers of the feed. */
export function createFeedReader(pool: pg.Pool): FeedReader {
  return {
    readBounds: () => readBounds(pool),
    async readPage({ merchantId, siteId, types }, after, limit) {
      const { rows } = await pool.query<PageRow>({
        name: 'page of the feed',
        text: PAGE,
        values: [merchantId, after, siteId, types, LOOKED_AT_ONCE, limit + 1],
      })
      const passed = rows.filter(({ position }) => position !== null)
      const isCut = passed.length > limit
      const page = passed.slice(0, limit)
      const last = isCut ? page.at(-1)?.position : rows[0]?.last_looked_at
      const facts = await readFacts(pool, page)
      return {
        events: page.map((row, at) => placedFact(row, facts[at])),
        position: last === null || last === undefined ? after : BigInt(last),
        hasMore: isCut || rows[0]?.looked_at === LOOKED_AT_ONCE,
      }
    },
  }
}

/** The events with these positions, by position; those that are no longer kept are missing. */
export async function readEvents(
  client: Pick<pg.Pool, 'query'>,
  merchantId: bigint,
  places: readonly { readonly day: string; readonly position: bigint }[],
): Promise<ReadonlyMap<bigint, PlacedFact>> {
  const { rows } = await client.query<PageRow>({
    name: 'events by position',
    text: `select ${columnsOf('e')}, null as last_looked_at, 0 as looked_at
             from unnest($2::date[], $3::bigint[]) as p (day, position)
             join events e on e.merchant_id = $1 and e.day = p.day and e.position = p.position`,
    values: [merchantId, places.map(({ day }) => day), places.map(({ position }) => position)],
  })
  const facts = await readFacts(client, rows)
  return new Map(
    rows.map((row, at) => {
      const placed = placedFact(row, facts[at])
      return [placed.position, placed]
    }),
  )
}

function placedFact(row: PageRow, fact: RecordedFact | undefined): PlacedFact {
  invariant(fact !== undefined, 'an event has no fact')
  return {
    id: eventId(row),
    position: BigInt(row.position ?? 0),
    sequence: BigInt(row.sequence),
    recordedAt: row.recorded_at,
    fact,
  }
}

/**
 * The same for ever, and of another event's no part can be guessed from it. Digits become letters,
 * because a run of them may look like a card number, and logs would cut it down. The statement of
 * the fan-out makes the same id.
 */
export function eventId({ position, salt }: Pick<PageRow, 'position' | 'salt'>): string {
  const digest = createHash('sha256').update(`${salt} ${position}`).digest('hex').slice(0, 32)
  return `evt_${digest.replace(/[0-9]/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))}`
}

async function readBounds(pool: pg.Pool): Promise<FeedBounds> {
  const { rows } = await pool.query<{
    last: string
    before_oldest: string
    epochs: [number, string][] | null
  }>({ name: 'bounds of the feed', text: BOUNDS })
  const [row] = rows
  invariant(row !== undefined, 'the feed has no head')
  const epochs = row.epochs ?? []
  return {
    epoch: epochs.at(-1)?.[0] ?? 0,
    last: BigInt(row.last),
    beforeOldest: BigInt(row.before_oldest),
    firstOfEpoch: new Map(epochs.map(([epoch, first]) => [epoch, BigInt(first)])),
  }
}
