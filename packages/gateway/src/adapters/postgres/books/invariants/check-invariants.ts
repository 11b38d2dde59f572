import type pg from 'pg'
import { INVARIANTS } from './invariant-list.ts'
import type { Invariant } from './invariant.ts'

export interface InvariantResult {
  readonly name: string
  readonly sentence: string
  readonly isWarning: boolean
  /** Rows that break it. */
  readonly count: number
  /** The first of them, by column. */
  readonly examples: readonly Readonly<Record<string, string | number | null>>[]
}

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
): Promise<InvariantResult[]> {
  const results: InvariantResult[] = []
  for (const [at, invariant] of INVARIANTS.entries()) {
    options.onStep?.({ number: at + 1, of: INVARIANTS.length, sentence: invariant.sentence })
    results.push(await check(client, invariant, options))
  }
  return results
}

async function check(
  client: pg.ClientBase,
  { name, sentence, sql, isWarning = false, takes }: Invariant,
  options: CheckOptions,
): Promise<InvariantResult> {
  const { rows } = await client.query<{ count: string; examples: InvariantResult['examples'] }>(
    `with broken as materialized (${sql})
     select (select count(*) from broken) as count,
            (select coalesce(json_agg(b), '[]') from (select * from broken limit ${EXAMPLES}) b)
              as examples`,
    takes === undefined ? [] : [PARAMETERS[takes](options)],
  )
  const [found] = rows
  return {
    name,
    sentence,
    isWarning,
    count: Number(found?.count ?? 0),
    examples: found?.examples ?? [],
  }
}
