import type pg from 'pg'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { AuditedTx, Transact } from '../../../usecases/audit/audited-transaction.ts'
import { announceActivity } from '../connection/activity-channel.ts'
import { AUDITED, inTransaction, inTransactionOn } from '../connection/transaction.ts'
import { appendAudit } from './audit-log.ts'

/** The dependencies of an adapter that writes the audit log within transactions of its own. */
export const auditing = {
  record: appendAudit,
  /** On a connection that the caller keeps. */
  async transactOn<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
    const result = await inTransactionOn(client, AUDITED, work)
    await announceActivity(client)
    return result
  },
  /** On a connection of the pool. */
  transact: <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
    inTransaction(pool, AUDITED, work),
}

/**
 * The transactions of a use case: `txOf` gives its verbs on the connection of one of them. A
 * transaction with an entry in the audit log wakes all nodes. Jobs that found nothing leave them
 * idle.
 */
export function createTransact<Tx extends object>(
  pool: pg.Pool,
  txOf: (client: pg.ClientBase) => Tx,
): Transact<Tx & AuditedTx> {
  return async (work) => {
    let isAudited = false
    const { answer } = await inTransaction(pool, AUDITED, async (client) => {
      const tx = {
        ...txOf(client),
        audit(entries: readonly AuditEntry[]) {
          isAudited ||= entries.length > 0
          return appendAudit(client, entries)
        },
      }
      // Not the answer itself: one that is refused would be rolled back, with its entry.
      return { answer: await work(tx) }
    })
    if (isAudited) await announceActivity(pool)
    return answer
  }
}
