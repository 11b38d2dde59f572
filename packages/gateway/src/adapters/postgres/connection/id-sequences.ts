import type pg from 'pg'

/** How many ids one call of a sequence in blocks stands for; those sequences step by as much. */
export const BLOCK = 1_000n

/** The sequences that processes take ids from in blocks. */
export const BLOCK_SEQUENCES = {
  request: 'request_ids',
  order: 'order_ids',
  line: 'line_ids',
  transaction: 'transaction_ids',
  customer: 'customer_ids',
  paymentMethod: 'payment_method_ids',
  advice: 'advice_ids',
  cardToken: 'card_token_ids',
  message: 'message_numbers',
  membership: 'membership_ids',
} as const

interface IdSequence {
  readonly name: string
  /** How many numbers one call stands for. */
  readonly step: bigint
  /**
   * How many numbers are skipped in a restored database beyond the known ones: more than all
   * processes assign between two notes of one.
   */
  readonly margin: bigint
}

/** Every sequence whose numbers are known outside of the database. */
export const ID_SEQUENCES: readonly IdSequence[] = [
  ...Object.values(BLOCK_SEQUENCES).map((name) => ({ name, step: BLOCK, margin: 1_000_000n })),
  { name: 'batch_ids', step: 1n, margin: 10_000n },
  { name: 'product_numbers', step: 1n, margin: 10_000n },
  { name: 'id_notes', step: 1n, margin: 1n },
]

/** The highest number that each sequence has assigned, or that something is known of. */
export type IdLevels = ReadonlyMap<string, bigint>

/** A query with a row for each sequence: its name, and the highest number that it has assigned. */
export const ASSIGNED = ID_SEQUENCES.map(
  ({ name, step }) =>
    `select '${name}' as sequence,
            last_value + case when is_called then ${step} else 0 end - 1 as assigned from ${name}`,
).join(' union all ')

type Queryable = Pick<pg.ClientBase | pg.Pool, 'query'>

/** The highest numbers that the database has assigned. */
export async function readAssigned(database: Queryable): Promise<IdLevels> {
  const { rows } = await database.query<{ sequence: string; assigned: string }>(ASSIGNED)
  return new Map(rows.map(({ sequence, assigned }) => [sequence, BigInt(assigned)]))
}

/** Assigns one more note, and gives it with all other levels. */
export async function takeNote(database: Queryable): Promise<IdLevels> {
  await database.query(`select nextval('id_notes')`)
  return readAssigned(database)
}

/** The identity of this database, which every dump and copy of it keeps. */
export async function readIdentity(database: Queryable): Promise<string> {
  const { rows } = await database.query<{ id: string }>('select id from database_identity')
  const [found] = rows
  if (found === undefined) throw new Error('The table database_identity is empty.')
  return found.id
}

/** Whether the role has the rights on what came last of this; the other sequences are older. */
export async function mayNoteIds(database: Queryable): Promise<boolean> {
  const { rows } = await database.query<{ may: boolean }>(
    `select has_table_privilege('database_identity', 'select')
            and has_sequence_privilege('id_notes', 'usage')
            and has_sequence_privilege('id_notes', 'select') as may`,
  )
  return rows[0]?.may === true
}

/** The sequences that have assigned less than is known of them: the database is an older copy. */
export function sequencesBehind(assigned: IdLevels, known: IdLevels): string[] {
  return ID_SEQUENCES.flatMap(({ name }) =>
    (known.get(name) ?? 0n) > (assigned.get(name) ?? 0n) ? [name] : [],
  )
}

/**
 * The targets of all sequences, beyond everything known of them. They skip `by` numbers, or the
 * margin of each. Null without `by` for a database that is behind nothing.
 */
export function planAdvance(
  assigned: IdLevels,
  known: IdLevels,
  by: bigint | null,
): IdLevels | null {
  const behind = new Set(sequencesBehind(assigned, known))
  if (behind.size === 0 && by === null) return null
  const targets = ID_SEQUENCES.map(({ name, step, margin }) => {
    const from = larger(assigned.get(name) ?? 0n, known.get(name) ?? 0n)
    const skipped = step === BLOCK ? larger(by ?? margin, BLOCK) : margin
    return [name, from + skipped] as const
  })
  // A process that dies in the middle leaves one behind, so that the next one begins again.
  return new Map(targets.toSorted(([a], [b]) => Number(behind.has(a)) - Number(behind.has(b))))
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** Beyond any plausible gap, and few enough calls for a second. */
const MOST_CALLS = 1_000_000n

/** A number is too far beyond what the database has assigned to be of its own. */
export class ImplausibleIdError extends Error {
  override readonly name = 'ImplausibleIdError'
}

/** One sequence that was moved. */
export interface Advance {
  readonly sequence: string
  readonly from: bigint
  readonly to: bigint
}

/**
 * Moves sequences up to their targets by taking numbers from them: so none is ever set back, and
 * the rights of a gateway suffice.
 * @throws ImplausibleIdError before anything is moved
 */
export async function advanceSequences(
  client: Queryable,
  assigned: IdLevels,
  targets: IdLevels,
): Promise<Advance[]> {
  const steps = new Map(ID_SEQUENCES.map(({ name, step }) => [name, step]))
  const moves = [...targets].map(([sequence, target]) => {
    const from = assigned.get(sequence) ?? 0n
    const step = steps.get(sequence) ?? 1n
    return { sequence, target, from, calls: (target - from + step - 1n) / step, step }
  })
  for (const { sequence, target, from, calls } of moves) {
    if (calls > MOST_CALLS)
      throw new ImplausibleIdError(
        `The sequence ${sequence} has assigned ids up to ${from}, and ${target} is too far beyond.`,
      )
  }
  const done: Advance[] = []
  for (const { sequence, from, calls, step } of moves) {
    const { rows } = await client.query<{ last: string }>(
      `select max(nextval('${sequence}')) as last from generate_series(1, $1::int)`,
      [calls.toString()],
    )
    done.push({ sequence, from, to: BigInt((rows[0] as { last: string }).last) + step - 1n })
  }
  return done
}
