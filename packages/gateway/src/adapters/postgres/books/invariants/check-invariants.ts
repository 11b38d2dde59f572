import type pg from 'pg'
import { atOneMoment } from '../../connection/transaction.ts'
import { copyChangedRows } from './copy-changed-rows.ts'
import { INVARIANTS } from './invariant-list.ts'
import type { FoundRows, Invariant } from './invariant.ts'
import type { RunMark, RunStart } from './run-mark.ts'
import { noteStart } from './verify-runs.ts'

export interface CheckOptions {
  /** Milliseconds after which a transaction that still runs is worth a warning. */
  readonly longestRunMs: number
  /** The highest numbers that this node has seen assigned, by sequence. */
  readonly idMarks: ReadonlyMap<string, bigint>
  /** Called before each invariant is checked. */
  readonly onStep?: (step: {
    readonly number: number
    readonly of: number
    readonly sentence: string
  }) => void
}

const EXAMPLES = 5
const NAMED_AT_MOST = 5_000

const PARAMETERS = {
  'longest run': ({ longestRunMs }: CheckOptions) => longestRunMs,
  'id marks': ({ idMarks }: CheckOptions) =>
    JSON.stringify(Object.fromEntries([...idMarks].map(([name, mark]) => [name, `${mark}`]))),
} as const

/**
 * Checks every invariant, each at a moment of its own, on a connection that is the caller's. Reads
 * only, locks nothing, and may run while payments are made.
 */
export async function checkInvariants(
  client: pg.ClientBase,
  options: CheckOptions,
): Promise<FoundRows[]> {
  return checkEach(client, INVARIANTS, options, () => Promise.resolve())
}

/** The invariants that a run checks which goes on from another one. */
export const CHECKED_SINCE_LAST = INVARIANTS.filter(({ since }) => since !== 'full run')

/** The result of a run that goes on from another one. */
export interface CheckSinceLast {
  readonly results: readonly FoundRows[]
  readonly start: RunStart
  /** How many orders were checked. */
  readonly orders: number
}

/**
 * Checks what has changed since `mark`, all of it at one moment. Sees no order that was damaged
 * without a change of the gateway, unless something else of it has changed since.
 */
export function checkSinceLast(
  client: pg.ClientBase,
  mark: RunMark,
  options: CheckOptions,
): Promise<CheckSinceLast> {
  return atOneMoment(client, () => checkChanges(client, mark, options))
}

/** The same in the transaction of the caller, which is repeatable read. */
export async function checkChanges(
  client: pg.ClientBase,
  mark: RunMark,
  options: CheckOptions,
): Promise<CheckSinceLast> {
  const start = await noteStart(client)
  const orders = await copyChangedRows(client, mark)
  const results = await checkEach(client, CHECKED_SINCE_LAST, options, async ({ since }) => {
    // The copies hide the real tables, or stand behind them.
    const path = since === 'whole' ? 'public, pg_temp' : 'pg_temp, public'
    await client.query(`set local search_path = ${path}`)
  })
  return { results, start, orders }
}

async function checkEach(
  client: pg.ClientBase,
  invariants: readonly Invariant[],
  options: CheckOptions,
  prepare: (invariant: Invariant) => Promise<void>,
): Promise<FoundRows[]> {
  const results: FoundRows[] = []
  for (const [at, invariant] of invariants.entries()) {
    options.onStep?.({ number: at + 1, of: invariants.length, sentence: invariant.sentence })
    await prepare(invariant)
    results.push(await check(client, invariant, options))
  }
  return results
}

async function check(
  client: pg.ClientBase,
  { name, sentence, sql, isWarning = false, takes }: Invariant,
  options: CheckOptions,
): Promise<FoundRows> {
  const named = (column: string): string =>
    `(select coalesce(array_agg(distinct id), '{}')
        from (select to_jsonb(b) ->> '${column}' as id from broken b limit ${NAMED_AT_MOST}) n
       where id is not null)`
  const { rows } = await client.query<{
    count: string
    examples: FoundRows['examples']
    order_ids: string[]
    transaction_ids: string[]
  }>(
    `with broken as materialized (${sql})
     select (select count(*) from broken) as count,
            (select coalesce(json_agg(b), '[]') from (select * from broken limit ${EXAMPLES}) b)
              as examples,
            ${named('order_id')} as order_ids, ${named('transaction_id')} as transaction_ids`,
    takes === undefined ? [] : [PARAMETERS[takes](options)],
  )
  const [found] = rows
  return {
    name,
    sentence,
    isWarning,
    count: Number(found?.count ?? 0),
    examples: found?.examples ?? [],
    orderIds: found?.order_ids ?? [],
    transactionIds: found?.transaction_ids ?? [],
  }
}
