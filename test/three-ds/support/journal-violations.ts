import { violationsOf } from '../schemas/violations.ts'
import { isOfGateway, type JournalLine } from './journal.ts'

/** The violations of the schemas in the gateway's messages, and how many of each type it wrote. */
export function journalViolations(lines: readonly JournalLine[]): {
  readonly violations: readonly string[]
  readonly counts: Readonly<Record<string, number>>
} {
  const counts: Record<string, number> = {}
  const violations = new Set<string>()
  for (const line of lines) {
    if (!isOfGateway(line) || line.message === null) continue
    const type = String(line.type)
    counts[type] = (counts[type] ?? 0) + 1
    for (const sentence of violationsOf(line.message, true)) violations.add(sentence)
  }
  return { violations: [...violations], counts }
}
