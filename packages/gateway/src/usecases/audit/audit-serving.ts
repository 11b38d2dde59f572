import type { AuditHead } from './audit-chain.ts'
import type { AuditEntry } from './audit-log.ts'

/** A gateway process's report about itself and about the end of the audit log. */
export interface AuditServing {
  started(): Promise<void>
  /** Does nothing where it was never started. */
  stopped(): Promise<void>
  /**
   * Puts the end of the log where who owns the database cannot rewrite it: into the program's own
   * log.
   */
  noteHead(): Promise<void>
}

/** A gateway starts and stops even without its database; `onTrouble` reports the failure. */
export function createAuditServing(deps: {
  readonly actor: string
  /** The versions that the process runs: the details of the entry of its start. */
  readonly versions: { readonly tollgate: string; readonly node: string }
  readonly append: (entry: AuditEntry) => Promise<void>
  readonly readHead: () => Promise<AuditHead | null>
  readonly onHead: (head: AuditHead) => void
  readonly onTrouble: (sentence: string, error: unknown) => void
}): AuditServing {
  const { actor, versions, append, readHead, onHead, onTrouble } = deps
  let hasStarted = false

  async function enter(operation: 'gateway.started' | 'gateway.stopped'): Promise<void> {
    try {
      const details = operation === 'gateway.started' ? { details: { ...versions } } : {}
      await append({ actor, operation, result: 'done', ...details })
    } catch (error) {
      onTrouble('an entry could not be written to the audit log', error)
    }
  }

  async function noteHead(): Promise<void> {
    try {
      const head = await readHead()
      if (head === null) onTrouble('the head of the audit log is missing', null)
      else onHead(head)
    } catch (error) {
      onTrouble('the head of the audit log could not be read', error)
    }
  }

  return {
    async started() {
      await enter('gateway.started')
      hasStarted = true
    },
    async stopped() {
      if (!hasStarted) return
      await enter('gateway.stopped')
      await noteHead()
    },
    noteHead,
  }
}
