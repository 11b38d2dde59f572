import type { Clock } from '../../../base/clock.ts'
import {
  portionOf,
  type LeaseRequests,
  type RequestLease,
  type RequestRateLimit,
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

/** Rows of users who come now and then are left where they are. */
const SWEPT_AFTER_S = 3_600
/** A group holds its buckets' locks until it is written, so it is a small one. */
const GROUP_SIZE = 32

export interface RequestBuckets {
  readonly lease: LeaseRequests
  /** Removes the buckets of users who are long gone; true when there may be more. */
  sweep(): Promise<boolean>
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>
}

/**
 * A token bucket for each caller in the database, the same for every process. Time is the
 * database's; a test hands in its own.
 */
export function createRequestBuckets(
  database: Database,
  { perSecond, burst }: RequestRateLimit,
  clock: Clock | null = null,
): RequestBuckets {
  const pool = database.lane('request rate', { durable: false })
  const now = (): string | null => clock?.now().toISOString() ?? null

  const lane = createGroupLane<{ readonly caller: string; readonly waiting: number }, RequestLease>(
    {
      groupSize: GROUP_SIZE,
      // No process asks for more callers at once than it remembers.
      limit: 20_000,
      keyOf: ({ caller }) => caller,
      async write(rows) {
        const leased = await pool.query<{ granted: number; missing: string }>({
          name: 'lease requests',
          text: LEASE,
          values: [...asked.values(rows), perSecond, burst, portionOf(burst), now()],
        })
        return leased.rows.map(({ granted, missing }) => ({
          granted,
          missing: Number(missing) / 1e6,
        }))
      },
    },
  )

  return {
    lease: (caller, waiting) => lane.submit({ caller, waiting }),
    async sweep() {
      const seconds = Math.max(SWEPT_AFTER_S, burst / perSecond)
      const { rowCount } = await database.pool.query(SWEEP, [now(), seconds])
      return rowCount === 5_000
    },
    idle: lane.idle,
  }
}
