import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { connectOnce } from './address-ring.ts'
import type { DatabaseAddress } from './cluster-memory.ts'
import type { IndexStatement } from './migration-files.ts'

type Report = (line: string) => void

/**
 * Builds and drops indexes while their tables are written to. May be repeated after an end in the
 * middle: an index that is valid stays, and one that was left invalid is built again.
 */
export async function runConcurrently(
  client: pg.Client,
  statements: readonly IndexStatement[],
  report: Report,
): Promise<void> {
  for (const { kind, index, sql } of statements) {
    const found = await validity(client, index)
    if (found === (kind === 'create' ? true : null)) {
      report(`  index ${index} ${kind === 'create' ? 'is there already' : 'is gone already'}`)
      continue
    }
    if (kind === 'create' && found === false) {
      report(`  index ${index} was left invalid by an earlier run, and is built again`)
      await dropInvalid(client, index)
    }
    try {
      await client.query(sql)
    } catch (error) {
      // A unique index refuses rows although it is invalid, so nothing may stay of a failed build.
      if (kind === 'create') await dropInvalid(client, index).catch(() => undefined)
      throw error
    }
  }
}

/** Null for no such index. */
async function validity(client: pg.Client, index: string): Promise<boolean | null> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  )
  return rows[0]?.valid ?? null
}

async function dropInvalid(client: pg.Client, index: string): Promise<void> {
  if ((await validity(client, index)) === false) {
    await client.query(`drop index concurrently ${index}`)
  }
}

/** Between two reads of the progress, and between two lines about a build that goes on. */
const READ_EVERY_MS = 500
const REPORT_EVERY = 20

interface Progress {
  readonly phase: string
  readonly done: string
  readonly total: string
  readonly locker: number | null
  readonly lockerName: string | null
}

const PROGRESS = `
select phase, blocks_done::text as done, blocks_total::text as total,
       nullif(current_locker_pid, 0)::int as locker,
       (select application_name from pg_stat_activity a where a.pid = p.current_locker_pid)
         as "lockerName"
  from pg_stat_progress_create_index p where p.pid = $1`

/**
 * Reports the build of another connection until `work` ends: its phase, and the transaction that it
 * waits for. It does not end `work` if the progress cannot be read.
 */
export async function reportingProgress<Result>(
  address: DatabaseAddress,
  pid: number,
  report: Report,
  work: () => Promise<Result>,
): Promise<Result> {
  const over = new AbortController()
  const following = follow(address, pid, report, over.signal).catch(() => undefined)
  try {
    return await work()
  } finally {
    over.abort()
    await following
  }
}

async function follow(
  address: DatabaseAddress,
  pid: number,
  report: Report,
  over: AbortSignal,
): Promise<void> {
  const client = await connectOnce(address, { connectionTimeoutMillis: 5_000 })
  try {
    let last = ''
    for (let reads = 0; !over.aborted; reads += 1) {
      const { rows } = await client.query<Progress>(PROGRESS, [pid])
      const [progress] = rows
      const state = progress === undefined ? '' : `${progress.phase} ${progress.locker}`
      if (progress !== undefined && (state !== last || reads % REPORT_EVERY === 0)) {
        report(`  ${describe(progress)}`)
      }
      last = state
      await pause(READ_EVERY_MS, undefined, { signal: over })
    }
  } finally {
    await client.end()
  }
}

function describe({ phase, done, total, locker, lockerName }: Progress): string {
  if (locker !== null) {
    const name = lockerName === null || lockerName === '' ? '' : ` (${lockerName})`
    return `${phase}: waits for the transaction of process ${locker}${name}`
  }
  const share = Number(total) === 0 ? 0 : Math.floor((Number(done) * 100) / Number(total))
  return share === 0 ? phase : `${phase}, ${share} %`
}
