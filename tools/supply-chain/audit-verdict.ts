/** The result of `npm audit --json`. */
export type AuditVerdict =
  | { readonly kind: 'clean' }
  | { readonly kind: 'vulnerable'; readonly findings: readonly string[] }
  /** No answer about vulnerabilities: no registry, or one without that service. */
  | { readonly kind: 'unavailable'; readonly why: string }

const GRAVE = ['moderate', 'high', 'critical']
const SHOWN = 300

/** Reads npm's answer. Output that is neither a report nor an error of npm is no all-clear. */
export function auditVerdict(output: string): AuditVerdict {
  const start = output.indexOf('{')
  let report: unknown
  try {
    report = JSON.parse(output.slice(Math.max(start, 0)))
  } catch {
    return unavailable(`npm said no JSON: ${output.trim().slice(0, SHOWN) || 'nothing'}`)
  }
  if (!isObject(report)) return unavailable('npm said something that is no report.')
  const { metadata, vulnerabilities } = report
  const counts = isObject(metadata) ? metadata['vulnerabilities'] : undefined
  if (!isObject(counts) || !isObject(vulnerabilities)) return unavailable(reasonIn(report))
  const grave = GRAVE.reduce((sum, severity) => sum + Number(counts[severity] ?? 0), 0)
  const findings = Object.entries(vulnerabilities).flatMap(([name, finding]) => {
    const severity = isObject(finding) ? String(finding['severity']) : ''
    return GRAVE.includes(severity) ? [`${name} (${severity}): ${titlesOf(finding)}`] : []
  })
  // The counts alone would do: a finding that is laid out in another way must not pass.
  if (grave === 0 && findings.length === 0) return { kind: 'clean' }
  return { kind: 'vulnerable', findings: findings.length > 0 ? findings : [`${grave} findings`] }
}

/**
 * The verdict in sentences. A run without an answer must not look like one without findings.
 * `failure`: why npm itself could not be run; null for none.
 */
export function auditLines(verdict: AuditVerdict, failure: string | null): readonly string[] {
  switch (verdict.kind) {
    case 'clean':
      return ['npm audit: no known vulnerability in the packages that Tollgate needs to run.']
    case 'vulnerable':
      return [
        'npm audit found, in the packages that Tollgate needs to run:',
        ...verdict.findings.map((finding) => `  ${finding}`),
        'Upgrade it, or replace it (docs/dependencies.md).',
      ]
    case 'unavailable':
      return [
        '',
        'NOTE: NO DEPENDENCY WAS AUDITED: the registry did not list known vulnerabilities.',
        `      ${failure ?? verdict.why}`,
        '      Run "npm audit --omit=dev" with a registry that does.',
        '',
      ]
  }
}

function unavailable(why: string): AuditVerdict {
  return { kind: 'unavailable', why }
}

function reasonIn(report: Readonly<Record<string, unknown>>): string {
  const error = isObject(report['error']) ? report['error'] : {}
  const parts = [report['message'], error['code'], error['summary']]
  const said = parts.filter((part) => typeof part === 'string' && part !== '').join('; ')
  return said === '' ? 'npm gave no report and no reason.' : said.slice(0, SHOWN)
}

function titlesOf(finding: unknown): string {
  const via = isObject(finding) ? finding['via'] : []
  const titles = (Array.isArray(via) ? via : []).map((cause: unknown) =>
    isObject(cause)
      ? `${String(cause['title'])} ${String(cause['url'])}`
      : `through ${String(cause)}`,
  )
  return titles.join('; ')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
