import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePorts, portOf } from '../../packages/tollgate/test/free-ports.ts'
import { eventually } from './eventually.ts'
import { RULES_FILE, RULES_FOLDER } from './monitoring.ts'

/** Of the documents, in seconds. */
const INTERVAL_S = 15
const MS: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5 }

export interface RunningPrometheus {
  /** The names of the alerts that fire. */
  firing(): Promise<readonly string[]>
  /** How many series a query has. */
  count(query: string): Promise<number>
  /** The series of a query from one Unix second to another; values that are no number are left out. */
  range(query: string, from: number, to: number, step: number): Promise<readonly RangeSeries[]>
  stop(): Promise<void>
}

/** A series of a query in a range. */
export interface RangeSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly points: readonly (readonly [at: number, value: number])[]
}

/** The rules with every duration divided: ranges, offsets and `for`. Thresholds stay. */
export function fasterRules(rules: string, speed: number): string {
  const divided = (count: string, unit: string): string =>
    `${Math.round((Number(count) * (MS[unit] ?? 0)) / speed)}ms`
  return rules.replace(
    /(\[|offset |for: )(\d+)([smhd])\b/g,
    (_, before: string, count: string, unit: string) => before + divided(count, unit),
  )
}

/**
 * Starts Prometheus with the alert rules at metrics that it reads over HTTP.
 * @param speed by which all times are divided
 */
export async function startPrometheus(
  readMetrics: () => Promise<string>,
  speed: number,
): Promise<RunningPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-prometheus-'))
  const metrics = createServer((_, response) => {
    readMetrics().then(
      (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
      () => response.writeHead(503).end(),
    )
  }).listen(0, '127.0.0.1')
  await once(metrics, 'listening')
  const [port = 0] = await freePorts(1)
  const rules = readFileSync(join(RULES_FOLDER, RULES_FILE), 'utf8')
  writeFileSync(join(folder, RULES_FILE), fasterRules(rules, speed))
  const interval = `${Math.round((INTERVAL_S * 1_000) / speed)}ms`
  const targets = [`127.0.0.1:${portOf(metrics)}`]
  writeFileSync(
    join(folder, 'prometheus.yml'),
    stringify({
      global: {
        scrape_interval: interval,
        scrape_timeout: interval,
        evaluation_interval: interval,
      },
      scrape_configs: [{ job_name: 'tollgate', static_configs: [{ targets }] }],
      rule_files: [RULES_FILE],
    }),
  )
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(child, 'exit')
  const ask = async (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)
  await eventually('Prometheus is ready', async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus did not start:\n${said}`)
    return ask('/-/ready').then(
      ({ ok }) => ok,
      () => false,
    )
  })
  return {
    async firing() {
      const answer = (await (await ask('/api/v1/alerts')).json()) as {
        readonly data: {
          readonly alerts: readonly {
            readonly state: string
            readonly labels: Readonly<Record<string, string>>
          }[]
        }
      }
      const alerts = answer.data.alerts.filter(({ state }) => state === 'firing')
      return [...new Set(alerts.map(({ labels }) => labels['alertname'] ?? ''))].toSorted()
    },
    async count(query) {
      const answer = await ask(`/api/v1/query?query=${encodeURIComponent(query)}`)
      const { data } = (await answer.json()) as { readonly data: { readonly result: unknown[] } }
      return data.result.length
    },
    async range(query, from, to, step) {
      const asked = new URLSearchParams({ query, start: `${from}`, end: `${to}`, step: `${step}` })
      const answer = (await (await ask(`/api/v1/query_range?${asked}`)).json()) as {
        readonly data: {
          readonly result: readonly {
            readonly metric: Readonly<Record<string, string>>
            readonly values: readonly (readonly [number, string])[]
          }[]
        }
      }
      return answer.data.result.map(({ metric, values }) => ({
        labels: metric,
        points: values
          .map(([at, value]) => [at, Number(value)] as const)
          .filter(([, value]) => Number.isFinite(value)),
      }))
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
      metrics.closeAllConnections()
      metrics.close()
      rmSync(folder, { recursive: true })
    },
  }
}
