import type { Entry } from './answer-book.ts'
import type { DisputeResult } from './dispute-books.ts'
import type { HarmCounts } from './harm.ts'
import type { SettlementResult } from './settlement-books.ts'

/** The work of a run, and its findings. */
export interface Certificate {
  readonly seed: string
  readonly seconds: number
  readonly operations: number
  readonly answers: Readonly<Record<string, number>>
  readonly harms: HarmCounts
  readonly kills: number
  /** Messages on the link that were lost, doubled, delayed or torn. */
  readonly linkFaults: Readonly<Record<string, number>>
  readonly orders: number
  readonly approvedOrders: number
  /** Charges of memberships that were approved. */
  readonly renewals: number
  readonly unknownOutcomes: number
  readonly reversals: number
  readonly repeatedAdvices: number
  readonly bankRecords: Readonly<Record<string, number>>
  /** Null where nothing was settled. */
  readonly settlement: SettlementResult | null
  /** Events that a shop read, and webhooks that arrived; null where no shop learned of events. */
  readonly learned: { readonly events: number; readonly webhooks: number } | null
  /** Null where nothing was disputed. */
  readonly disputes: DisputeResult | null
  readonly differences: readonly string[]
}

const DESCRIBED = 20

/** How the clients' requests were answered, by what the answer means. */
export function countAnswers(entries: readonly Entry[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { heard } of entries) {
    const name =
      heard.kind === 'answer'
        ? heard.status
        : heard.kind === 'refused'
          ? 'not taken'
          : `no answer (${heard.why})`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

export function printCertificate(certificate: Certificate): string {
  const { differences } = certificate
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')
  return [
    'CERTIFICATE OF TORTURE',
    `seed               ${certificate.seed}, ${certificate.seconds} seconds`,
    `operations         ${certificate.operations}: ${list(certificate.answers)}`,
    `kills              ${certificate.kills}`,
    `harm done          ${list(certificate.harms)}`,
    `link, messages     ${list(certificate.linkFaults)}`,
    `orders             ${certificate.orders}, ${certificate.approvedOrders} with money`,
    `renewals           ${certificate.renewals} paid`,
    `unknown outcomes   ${certificate.unknownOutcomes}`,
    `reversals          ${certificate.reversals}`,
    `repeated advices   ${certificate.repeatedAdvices}`,
    `bank's records     ${list(certificate.bankRecords)}`,
    `settlement         ${settlementText(certificate.settlement)}`,
    `events             ${certificate.learned?.events ?? 0} read`,
    `webhooks           ${certificate.learned?.webhooks ?? 0} arrived`,
    `disputes           ${disputeText(certificate.disputes, list)}`,
    `DIFFERENCES        ${differences.length}`,
    ...differences.slice(0, DESCRIBED).map((text) => `  - ${text}`),
    ...(differences.length > DESCRIBED ? [`  - and ${differences.length - DESCRIBED} more`] : []),
  ].join('\n')
}

function settlementText(result: SettlementResult | null): string {
  if (result === null) return 'none'
  const { batches, cents, deposits, files, lines, payouts } = result
  return (
    `${batches} batches closed, ${files} files, ${lines} lines, ${payouts} payouts, ` +
    `${deposits} deposits, ${cents} cents of difference`
  )
}

function disputeText(
  result: DisputeResult | null,
  list: (counts: Readonly<Record<string, number>>) => string,
): string {
  if (result === null) return 'none'
  const { answers, cases, lines, notices, states } = result
  return (
    `${cases} cases (${list(states)}), ${notices} notices, ${answers} answers acknowledged, ` +
    `${lines} lines`
  )
}
