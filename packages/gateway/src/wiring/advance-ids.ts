import type pg from 'pg'
import { appendAudit } from '../adapters/postgres/audit/audit-log.ts'
import {
  advanceSequences,
  planAdvance,
  readAssigned,
  type Advance,
  type IdLevels,
} from '../adapters/postgres/connection/id-sequences.ts'
import { AUDITED, inTransaction } from '../adapters/postgres/connection/transaction.ts'

/** Held while sequences are moved, so that of several gateways one does it. Any number does. */
const ADVANCE_LOCK = 4_140_002

export interface AdvanceOptions {
  readonly actor: string
  /** The evidence that the database is an older copy. */
  readonly reason: 'id marks' | 'bundled bank' | 'operator'
  /** The highest numbers that are known, given what the database has assigned. */
  readonly known: (assigned: IdLevels) => IdLevels
  /** How many ids to skip; null: the margin, and only in a database that is behind. */
  readonly by: bigint | null
}

/**
 * Moves the sequences beyond all numbers that may have been assigned after a backup, and records
 * it. Gives what was moved: nothing when the database is behind nothing.
 */
export function advanceIds(pool: pg.Pool, options: AdvanceOptions): Promise<Advance[]> {
  const { actor, reason, known, by } = options
  return inTransaction(pool, AUDITED, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [ADVANCE_LOCK])
    const assigned = await readAssigned(client)
    const targets = planAdvance(assigned, known(assigned), by)
    if (targets === null) return []
    const advances = await advanceSequences(client, assigned, targets)
    const entry = {
      actor,
      operation: 'ids.advanced',
      object: 'database',
      result: 'done',
      details: { reason, sequences: advances.map(describeAdvance) },
    } as const
    await appendAudit(client, [entry])
    return advances
  })
}

export function describeAdvance({ sequence, from, to }: Advance): string {
  return `${sequence}: ${from} to ${to}`
}
