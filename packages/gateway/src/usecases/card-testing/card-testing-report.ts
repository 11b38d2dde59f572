/** How often the log says for one site what is going on; an attack must not fill the disk. */
const REPORT_EVERY_MS = 10_000

export interface CardTestingReportDeps {
  readonly monotonicMs: () => number
  /** So many payments since it was last called for the site, and the rules of the last of them. */
  readonly report: (
    siteId: bigint,
    refused: boolean,
    payments: number,
    rules: readonly string[],
  ) => void
}

/** Gathers what the rules of each site refuse, or would, into a line now and then. */
export function createCardTestingReport({
  monotonicMs,
  report,
}: CardTestingReportDeps): (siteId: bigint, refused: boolean, rules: readonly string[]) => void {
  const sites = new Map<bigint, { reportedAtMs: number; payments: number }>()
  return (siteId, refused, rules) => {
    const site = sites.get(siteId) ?? { reportedAtMs: -Infinity, payments: 0 }
    sites.set(siteId, site)
    site.payments += 1
    if (monotonicMs() - site.reportedAtMs < REPORT_EVERY_MS) return
    report(siteId, refused, site.payments, rules)
    site.reportedAtMs = monotonicMs()
    site.payments = 0
  }
}
