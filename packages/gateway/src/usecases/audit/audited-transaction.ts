import type { AuditEntry } from './audit-log.ts'

/**
 * Runs `work` in one database transaction: committed when it returns, rolled back when it throws. A
 * use case locks first, reads in later statements, decides, and only then writes. A refusal has
 * therefore written only rows that it meant to keep.
 */
export type Transact<Tx> = <Answer>(work: (tx: Tx) => Promise<Answer>) => Promise<Answer>

/** The statements that every audited operation may run in its transaction. */
export interface AuditedTx {
  /** Writes the entries in the same commit. Call it last: until then every other entry waits. */
  audit(entries: readonly AuditEntry[]): Promise<void>
}
