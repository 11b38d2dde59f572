import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { ROWS } from '../../tools/docs/dashboard-panels.ts'

/** The folder of the rules for Prometheus and their tests. */
export const RULES_FOLDER = fileURLToPath(new URL('../../deploy/prometheus', import.meta.url))
export const RULES_FILE = 'tollgate.rules.yaml'

export interface Alert {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

interface Recording {
  readonly record: string
  readonly expr: string
}

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly (Alert | Recording)[] }[]
}

/** All rules of the file: alerts, and recorded series that alerts use. */
export function readRules(): readonly (Alert | Recording)[] {
  const text = readFileSync(join(RULES_FOLDER, RULES_FILE), 'utf8')
  return (parse(text) as RuleFile).groups.flatMap(({ rules }) => rules)
}

export function readAlerts(): readonly Alert[] {
  return readRules().filter((rule) => 'alert' in rule)
}

/** The metrics of Tollgate in a query, by the names that `/metrics` has for them. */
export function metricsOf(query: string): readonly string[] {
  // A recorded series has a colon; the parts of a histogram have suffixes of their own.
  const names = query.match(/\btollgate_[a-z_]+\b(?!:)/g) ?? []
  return names.map((name) => name.replace(/_seconds_(?:bucket|count|sum)$/, '_seconds'))
}

/** All queries of the dashboard. */
export function dashboardQueries(): readonly string[] {
  return ROWS.flatMap(({ panels }) => panels).flatMap(({ queries }) =>
    queries.map(([query]) => query),
  )
}

/** Null where a program of Prometheus can be run; else the reason, for a test to skip itself. */
export function whyNoPrometheus(program: 'promtool' | 'prometheus'): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  if (folders.some((folder) => folder !== '' && existsSync(join(folder, program)))) return null
  return `${program} is missing; install it with: apt-get install prometheus`
}

/** Runs promtool in the folder of the rules. */
export function promtool(...args: string[]): {
  readonly code: number | null
  readonly output: string
} {
  const { status, stdout, stderr } = spawnSync('promtool', args, {
    cwd: RULES_FOLDER,
    encoding: 'utf8',
    timeout: 120_000,
  })
  return { code: status, output: `${stdout}${stderr}` }
}
