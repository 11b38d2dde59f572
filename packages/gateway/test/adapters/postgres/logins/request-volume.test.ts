import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { eventually } from '../../../../../../test/support/eventually.ts'
import { fc } from '../../../../../../test/support/properties.ts'
import {
  openDatabase,
  type Database,
} from '../../../../src/adapters/postgres/connection/database.ts'
import {
  createRequestBuckets,
  type RequestBuckets,
} from '../../../../src/adapters/postgres/logins/request-buckets.ts'
import type { RequestRateLimit } from '../../../../src/domain/logins/request-rate.ts'
import { createRequestRate } from '../../../../src/http/servers/request-rate.ts'
import { createRequestVolume } from '../../../../src/usecases/logins/request-volume.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const R8: RequestRateLimit = { perSecond: 500, burst: 2_000 }

/** A gateway process's buckets, and how often it asked the database. */
interface Process {
  readonly database: Database
  readonly buckets: RequestBuckets
  readonly allow: (caller: string) => boolean | Promise<boolean>
  leases: number
  readonly away: (Error | null)[]
}

interface Scene {
  readonly processes: readonly Process[]
  /** Moves the clock of the database and of every process. */
  pass(ms: number): void
}

interface Changes {
  readonly limit?: RequestRateLimit
  /** The database's clock and the machine's, instead of one that stands still. */
  readonly real?: boolean
  /** A minute by default: a busy machine is not a database that is away. */
  readonly answerWithinMs?: number
}

/** As many gateway processes as there are, on one fresh database. */
async function scene(t: TestContext, many: number, changes: Changes = {}): Promise<Scene> {
  const url = await server.createDatabase()
  let ms = 0
  const start = Date.UTC(2026, 10, 21)
  const { limit = R8, real = false, answerWithinMs = 60_000 } = changes
  const monotonicMs = real ? () => performance.now() : () => ms
  const processes = Array.from({ length: many }, (): Process => {
    const database = openDatabase(url, () => undefined)
    const buckets = createRequestBuckets(
      database,
      real ? null : { now: () => new Date(start + ms) },
    )
    const away: (Error | null)[] = []
    const allow = createRequestVolume({
      limit,
      lease: (caller, waiting) => {
        process.leases += 1
        return buckets.leaseUnder(limit)(caller, waiting)
      },
      allowLocally: createRequestRate(limit, monotonicMs),
      monotonicMs,
      onAway: (error) => away.push(error),
      answerWithinMs,
    })
    const process: Process = { database, buckets, allow, leases: 0, away }
    return process
  })
  t.after(async () => {
    await refreshed(processes)
    for (const { database } of processes) await database.close()
  })
  return { processes, pass: (by) => void (ms += by) }
}

/** Until no query runs in the background. */
async function refreshed(processes: readonly Process[]): Promise<void> {
  for (const { buckets } of processes) await buckets.idle()
  await turn()
}

/** How many of the requests, all sent at once to every one of the processes, are allowed. */
async function passed(
  processes: readonly Process[],
  each: number,
  caller = 'user 1',
): Promise<number> {
  const asked = processes.flatMap(({ allow }) =>
    Array.from({ length: each }, () => Promise.resolve(allow(caller))),
  )
  const answers = await Promise.all(asked)
  await refreshed(processes)
  return answers.filter(Boolean).length
}

function first({ processes }: Scene): Process {
  const [process] = processes
  assert.ok(process !== undefined)
  return process
}

test('R8: four processes allow 2,000 together and 500 a second from then on, not one more or less', async (t) => {
  const { processes, pass } = await scene(t, 4)
  assert.equal(await passed(processes, 2_500), 2_000)
  assert.equal(await passed(processes, 2_500), 0)
  pass(1_000)
  assert.equal(await passed(processes, 2_500), 500)
  pass(3_000)
  assert.equal(await passed(processes, 2_500), 1_500)
  pass(3_600_000)
  assert.equal(await passed(processes, 2_500), 2_000)
})

test('a user with one process gets the whole burst, and the whole rate in pieces of time', async (t) => {
  const { processes, pass } = await scene(t, 1)
  assert.equal(await passed(processes, 2_500), 2_000)
  for (let tenth = 0; tenth < 30; tenth += 1) {
    pass(100)
    assert.equal(await passed(processes, 200), 50)
  }
})

test('requests that come one after the other get the whole burst too, for few queries', async (t) => {
  const one = await scene(t, 1)
  const { allow } = first(one)
  let allowed = 0
  let waited = 0
  for (let i = 0; i < 1_500; i += 1) {
    const answer = allow('user 1')
    if (answer !== true) waited += 1
    if (await answer) allowed += 1
    if (i % 10 === 0) await refreshed(one.processes)
  }
  assert.equal(allowed, 1_500)
  assert.equal(waited, 1, 'only the first has to wait')
  assert.ok(first(one).leases < 40, `${first(one).leases} queries`)
  assert.equal(await passed(one.processes, 1_000), 500)
})

test('callers with different limits share a query, and each gets a part of its own bucket', async (t) => {
  const { buckets } = first(await scene(t, 1))
  const small = { perSecond: 1, burst: 4 }
  const [, ...parts] = await Promise.all([
    buckets.leaseUnder(R8)('user 1', 1),
    buckets.leaseUnder(small)('user 2', 9),
    buckets.leaseUnder(R8)('user 3', 9),
    buckets.leaseUnder(small)('user 4', 1),
  ])
  assert.deepEqual(
    parts.map(({ granted }) => granted),
    [4, 134, 2],
  )
})

test('users and sites have buckets of their own, and share the queries', async (t) => {
  const { processes } = await scene(t, 2)
  assert.equal(await passed(processes, 2_000, 'user 1'), 2_000)
  const others = ['user 2', 'user 11', 'site 1']
  const asked = others.map((caller) => passed(processes, 2_000, caller))
  assert.deepEqual(await Promise.all(asked), [2_000, 2_000, 2_000])
  assert.equal(await passed(processes, 1, 'user 1'), 0)
})

test('a process that was asked once holds a sixteenth of the burst, which is all that others miss', async (t) => {
  const { processes } = await scene(t, 4)
  const [busy, ...idle] = processes
  assert.ok(busy !== undefined)
  assert.equal(await passed(idle, 1), 3)
  assert.equal(await passed([busy], 3_000), 2_000 - 3 - 3 * 125)
  assert.equal(await passed(idle, 1_000), 3 * 125)
})

test('the share of a process lapses when the bucket would be full with it', async (t) => {
  const { processes, pass } = await scene(t, 2)
  const [one, two] = processes
  assert.ok(one !== undefined && two !== undefined)
  assert.equal(await passed([one], 1), 1)
  pass(60_000)
  assert.equal(await passed([two], 3_000), 2_000)
  assert.equal(await passed([one], 500), 0)
})

test('a bucket of a single request grants it, however long the database takes to answer', async (t) => {
  const { processes, pass } = await scene(t, 1, { limit: { perSecond: 5, burst: 1 } })
  const asked = first({ processes, pass }).allow('user 1')
  pass(150)
  assert.equal(await asked, true)
})

test('a process that waited for a bucket does not count the refill of the wait again', async (t) => {
  const { processes, pass } = await scene(t, 1, { real: true })
  const { database, allow } = first({ processes, pass })
  await allow('user 1')
  await refreshed(processes)
  const client = await database.pool.connect()
  await client.query('begin')
  await client.query('select from request_buckets for update')
  const asked = passed(processes, 500)
  await untilOneWaits(database)
  const text =
    'update request_buckets set level = 0, refilled_at = clock_timestamp() returning refilled_at::text as at'
  const { rows } = await client.query<{ at: string }>(text)
  await client.query('commit')
  client.release()
  await asked

  const later = await database.pool.query(
    'select refilled_at >= $1::timestamptz as ok from request_buckets',
    [rows[0]?.at],
  )
  assert.deepEqual(later.rows, [{ ok: true }])
})

async function untilOneWaits({ pool }: Database): Promise<void> {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await eventually('a statement waits for a lock', async () => {
    return (await pool.query(text)).rows.length > 0
  })
}

const step = fc.record({
  waitMs: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(4_000)),
  process: fc.nat(2),
  requests: fc.integer({ min: 1, max: 40 }),
})

for (const limit of [
  { perSecond: 20, burst: 64 },
  { perSecond: 7, burst: 3 },
  { perSecond: 300, burst: 1 },
]) {
  const text = `${limit.perSecond} a second with bursts of ${limit.burst}`

  test(`${text}: no sequence over three processes has a period with more`, async (t) => {
    const { processes, pass } = await scene(t, 3, { limit })
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        run += 1
        // One bucket for all processes: it runs dry exactly when some period has too much.
        let level = limit.burst
        for (const { waitMs, process, requests } of steps) {
          pass(waitMs)
          level = Math.min(limit.burst, level + (waitMs / 1_000) * limit.perSecond)
          level -= await passed(processes.slice(process, process + 1), requests, `user ${run}`)
          assert.ok(level > -1e-6, `${level} are left`)
        }
      }),
      { numRuns: 60 },
    )
  })

  test(`${text}: one process refuses no request while three are left`, async (t) => {
    const { processes, pass } = await scene(t, 1, { limit })
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        run += 1
        let level = limit.burst
        for (const { waitMs, requests } of steps) {
          pass(waitMs)
          level = Math.min(limit.burst, level + (waitMs / 1_000) * limit.perSecond)
          const allowed = await passed(processes, requests, `user ${run}`)
          level -= allowed
          if (allowed < requests) assert.ok(level < 3, `${level} are left`)
        }
      }),
      { numRuns: 60 },
    )
  })
}

test('by the clock of the database, processes that send all they can pass no more than the limit', async (t) => {
  const limit = { perSecond: 400, burst: 200 }
  const { processes } = await scene(t, 4, { limit, real: true })
  const { pool } = first({ processes, pass: () => undefined }).database
  const secondsNow = async (): Promise<number> => {
    const { rows } = await pool.query<{ at: string }>(
      'select extract(epoch from clock_timestamp()) as at',
    )
    return Number(rows[0]?.at)
  }
  const begun = await secondsNow()
  let allowed = 0
  await Promise.all(
    processes.map(async ({ allow }) => {
      // Long enough for the bucket to have been filled and emptied more than once.
      while (allowed < 3 * limit.burst) {
        if (await allow('user 1')) allowed += 1
        else await turn()
      }
    }),
  )
  const seconds = (await secondsNow()) - begun
  assert.ok(allowed <= limit.burst + seconds * limit.perSecond, `${allowed} in ${seconds} s`)
})

test('no request is refused while the database fails: the process counts by itself until it is back', async (t) => {
  const { processes, pass } = await scene(t, 1)
  const { database, away } = first({ processes, pass })
  await database.pool.query('alter table request_buckets rename to gone')
  assert.equal(await passed(processes, 2_500), 2_000)
  assert.equal(await passed(processes, 100, 'user 2'), 100)
  pass(1_000)
  assert.equal(await passed(processes, 2_000), 500)
  assert.deepEqual(
    away.map((error) => error?.message),
    ['relation "request_buckets" does not exist'],
  )

  await database.pool.query('alter table gone rename to request_buckets')
  pass(1_000)
  await passed(processes, 1)
  assert.equal(away.at(-1), null)
  assert.equal(await passed(processes, 2_500), 2_000)
})

test('a database that does not answer delays no request beyond its time limit', async (t) => {
  const { processes, pass } = await scene(t, 1, { answerWithinMs: 1_000 })
  const { database, allow, away } = first({ processes, pass })
  const client = await database.pool.connect()
  await client.query('begin; lock table request_buckets')

  assert.equal(await allow('user 1'), true)
  assert.equal(allow('user 2'), true)
  assert.equal(away.length, 1)
  await client.query('commit')
  client.release()
  await refreshed(processes)
  assert.equal(away.at(-1), null)
  assert.ok((await passed(processes, 3_000)) >= 1_999, 'what was held for the first is used')
})

test('buckets of long inactive users are swept, and no user gets more by it', async (t) => {
  const limit = { perSecond: 1, burst: 7_200 }
  const { processes, pass } = await scene(t, 2, { limit })
  const { buckets, database } = first({ processes, pass })
  assert.equal(await passed(processes, 8_000, 'user 1'), 7_200)
  pass(7_199_000)
  assert.equal(await passed(processes, 1, 'user 2'), 2)
  assert.equal(await buckets.sweep(limit), false)
  assert.equal(await passed(processes, 8_000, 'user 1'), 7_199)
  pass(7_201_000)
  await buckets.sweep(limit)
  const { rows } = await database.pool.query('select caller from request_buckets')
  assert.deepEqual(rows, [])
  assert.equal(await passed(processes, 8_000, 'user 1'), 7_200)
})
