import { addressOf, type ClusterMemory } from '../adapters/postgres/connection/cluster-memory.ts'
import { openDatabase } from '../adapters/postgres/connection/database.ts'
import { readIdMarks } from '../adapters/postgres/connection/id-marks.ts'
import {
  ID_SEQUENCES,
  readAssigned,
  readIdentity,
  type Advance,
} from '../adapters/postgres/connection/id-sequences.ts'
import { readMigrations } from '../adapters/postgres/connection/migration-files.ts'
import { assertSchemaFits } from '../adapters/postgres/connection/schema-fit.ts'
import type { Secret } from '../base/secret.ts'
import { advanceIds } from './advance-ids.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'
import { operatorActor } from './operator-actor.ts'

export type { Advance } from '../adapters/postgres/connection/id-sequences.ts'

/** One sequence as the database and the marks of this node have it. */
export interface SequenceView {
  readonly sequence: string
  /** The highest number that the database has assigned. */
  readonly assigned: bigint
  /** The highest number that this node has seen assigned; null for none. */
  readonly mark: bigint | null
}

/** An operator's operations on the sequences of ids. */
export interface IdOperator {
  show(): Promise<readonly SequenceView[]>
  /** Skips this many ids beyond the assigned ones and the marks; null: the usual margin. */
  advance(by: bigint | null): Promise<readonly Advance[]>
  close(): Promise<void>
}

/** How many ids one call may skip. */
export const MOST_SKIPPED = 900_000_000n

const USUAL = 1_000_000n

export async function openIdOperator(options: {
  readonly databaseUrl: Secret
  readonly dataDir: string
  /** The node's memory of the database's servers; none where it is left out. */
  readonly cluster?: ClusterMemory
}): Promise<IdOperator> {
  const database = openDatabase(
    addressOf(options.databaseUrl.reveal(), options.cluster),
    () => undefined,
  )
  const { pool } = database
  try {
    await assertSchemaFits(pool, (await readMigrations(MIGRATIONS_FOLDER)).length)
    const marks = readIdMarks(options.dataDir, await readIdentity(pool))
    return {
      async show() {
        const assigned = await readAssigned(pool)
        return ID_SEQUENCES.map(({ name }) => ({
          sequence: name,
          assigned: assigned.get(name) ?? 0n,
          mark: marks.get(name) ?? null,
        }))
      },
      advance: (by) =>
        advanceIds(pool, {
          actor: operatorActor(),
          reason: 'operator',
          known: () => marks,
          by: by ?? USUAL,
        }),
      close: () => database.close(),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
