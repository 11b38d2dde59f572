import { fault, good, type Finding } from './finding.ts'

const PART = 'audit log'

/**
 * Judges the receiver of the audit log.
 * @param url null where none is set
 * @param problem why it does not take an empty batch; null for nothing
 */
export function judgeAuditPush(url: string | null, problem: string | null): Finding {
  if (url === null) return good(PART, 'AUDIT_PUSH_URL is not set, so the audit log stays here.')
  if (problem === null) return good(PART, `The receiver ${url} takes the audit log.`)
  const advice = 'Correct the AUDIT_PUSH settings: docs/operators/audit-log.md. Entries wait.'
  return fault(PART, `The receiver ${url} does not take the audit log: ${problem}.`, advice)
}
