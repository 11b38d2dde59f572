import { readAuditHead } from '../adapters/postgres/audit/audit-reader.ts'
import { formatHead } from '../usecases/audit/audit-chain.ts'
import { createAuditServing } from '../usecases/audit/audit-serving.ts'
import type { Foundation } from './foundation.ts'
import { follow, type Part } from './part.ts'
import { readProgramVersions } from './program-version.ts'

/**
 * How much of the audit log could at most be rewritten without a head noted in the program's log.
 */
const NOTE_HEAD_EVERY_MS = 3_600_000

/** The audit log of a process. */
export interface AuditParts {
  /** Closed after everything that may enter something. */
  readonly log: Part
  /** Enters that the process serves; after the bank was waited for. */
  readonly serving: Part
}

/** The audit log's entries about this process itself, and the note of the log's end. */
export function wireAudit({ actor, audit, database, logger }: Foundation): AuditParts {
  const serving = createAuditServing({
    actor,
    versions: readProgramVersions(),
    append: audit.append,
    readHead: () => readAuditHead(database.pool),
    onHead: (head) => logger.info({ auditHead: formatHead(head) }, 'audit log'),
    onTrouble: (sentence, error) => logger.error({ error: String(error) }, sentence),
  })
  return {
    log: {
      followers: [follow('audit log', NOTE_HEAD_EVERY_MS, serving.noteHead)],
      async stop() {
        await serving.stopped()
        await audit.idle()
      },
    },
    serving: { start: serving.started },
  }
}
