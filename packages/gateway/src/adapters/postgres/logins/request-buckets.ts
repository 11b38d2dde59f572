import type { Clock } from '../../../base/clock.ts'
import { LONGEST_FILLING_S, type RequestRateLimit } from '../../../domain/logins/request-rate.ts'
import {
  portionOf,
  type LeaseRequests,
  type RequestLease,
} from '../../../usecases/logins/request-volume.ts'
import { defineColumns } from '../connection/columns.ts'
import type { Database } from '../connection/database.ts'
import { createGroupLane } from '../connection/group-lane.ts'

const asked = defineColumns({ caller: 'text', waiting: 'int' })

const LEASE = `select granted, missing from lease_requests(${asked.parameters(1)}, $${asked.count + 1}, $${
  asked.count + 2
}, $${asked.count + 3}, $${asked.count + 4})`

// A bucket that had the time to fill up says nothing; one that is being leased from is locked, and
// stays.
const SWEEP = `
delete from request_buckets where caller = any (array(
  select caller from request_buckets
   where refilled_at < coalesce($1::timestamptz, clock_timestamp()) - make_interval(secs => $2)
   limit 5000 for update skip locked))`

/** A group holds its buckets' locks until it is written, so it is a small one. */
const GROUP_SIZE = 32

export interface RequestBuckets {
  /** Parts of buckets of this size. Callers with other limits share the queries' connection. */
  leaseUnder(limit: RequestRateLimit): LeaseRequests
  /** Removes the buckets of users who are long gone; true when there may be more. */
  sweep(limit: RequestRateLimit): Promise<boolean>
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>
}

interface Asked {
  readonly caller: string
  readonly waiting: number
  readonly limit: RequestRateLimit
}

/**
 * A token bucket for each caller in the database, the same for every process. Time is the
 * database's; a test hands in its own.
 */
export function createRequestBuckets(
  database: Database,
  clock: Clock | null = null,
): RequestBuckets {
  const pool = database.lane('request rate', { durable: false })
  const now = (): string | null => clock?.now().toISOString() ?? null

  async function leaseAlike(
    { burst, perSecond }: RequestRateLimit,
    rows: readonly Asked[],
  ): Promise<(readonly [Asked, RequestLease])[]> {
    const leased = await pool.query<{ granted: number; missing: string }>({
      name: 'lease requests',
      text: LEASE,
      values: [...asked.values(rows), perSecond, burst, portionOf(burst), now()],
    })
    return leased.rows.flatMap(({ granted, missing }, at) => {
      const row = rows[at]
      return row === undefined ? [] : [[row, { granted, missing: Number(missing) / 1e6 }] as const]
    })
  }

  const lane = createGroupLane<Asked, RequestLease>({
    groupSize: GROUP_SIZE,
    // No process asks for more callers at once than it remembers.
    limit: 20_000,
    keyOf: ({ caller }) => caller,
    async write(rows) {
      const alike = Map.groupBy(rows, ({ limit }) => limit)
      const leases = new Map<Asked, RequestLease>()
      // A statement for each limit; most groups have one.
      for (const [limit, group] of alike)
        for (const [row, lease] of await leaseAlike(limit, group)) leases.set(row, lease)
      return rows.flatMap((row) => leases.get(row) ?? [])
    },
  })

  return {
    leaseUnder: (limit) => (caller, waiting) => lane.submit({ caller, waiting, limit }),
    async sweep({ burst, perSecond }) {
      const fillingS = perSecond === 0 ? 0 : burst / perSecond
      const seconds = Math.max(LONGEST_FILLING_S, fillingS)
      const { rowCount } = await database.pool.query(SWEEP, [now(), seconds])
      return rowCount === 5_000
    },
    idle: lane.idle,
  }
}
