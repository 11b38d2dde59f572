import type pg from 'pg'
import type { AuditOperation } from '../../packages/gateway/src/usecases/audit/audit-log.ts'

/** Those of the operations that the audit log has as done. */
export async function auditedAsDone(
  pool: pg.Pool,
  operations: readonly AuditOperation[],
): Promise<AuditOperation[]> {
  const { rows } = await pool.query<{ operation: string }>(
    `select distinct operation from audit_entries where result = 'done' and operation = any($1)`,
    [operations],
  )
  const found = new Set(rows.map(({ operation }) => operation))
  return operations.filter((operation) => found.has(operation))
}
