import { cpus, totalmem } from 'node:os'
import { MIX_TEXT, type RequestRow } from './other-requests.ts'
import type { RequestCost } from './processor-time.ts'
import type { GatewayLoad } from './workload.ts'

export interface Level extends GatewayLoad {
  readonly connections: number
  /** Resident memory of each gateway worker right after the measured time. */
  readonly workerBytes: readonly number[]
  /** The same load against a bare server that sends the form back. */
  readonly formEchoPerSecond: number
  readonly ratioToFormEcho: number
  /** Null where there is no pgbench. */
  readonly ratioToTpcb: number | null
  /** TPC-B's processor time by that of gateway and database; null where either is unknown. */
  readonly costRatioToTpcb: number | null
}

/** The means of several loads. */
interface MeanLoad {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p95Ms: number
  /** Null where the system does not say. */
  readonly cost: RequestCost | null
}

/** Enrolments without a challenge, and the plain authorizations around them. */
export interface ThreeDsLevel extends MeanLoad {
  readonly connections: number
  readonly plain: MeanLoad
  readonly ratioToPlain: number
}

export interface LongRow extends GatewayLoad {
  readonly name: string
}

export interface Report {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly seconds: number
  readonly workers: number
  readonly machine: {
    readonly cpu: string
    readonly cores: number
    readonly memoryBytes: number
    readonly system: string
    readonly node: string
    readonly postgres: string
    readonly fsync: string
    readonly synchronousCommit: string
  }
  /** TPC-B transactions a second, before and after the payments; empty without pgbench. */
  readonly tpcb: readonly number[]
  readonly tpcbMean: number | null
  /** Processor time of pgbench and server for a transaction, in microseconds. */
  readonly tpcbCost: number | null
  readonly tpcbTerms: string
  readonly levels: readonly Level[]
  readonly threeDs: ThreeDsLevel
  /** At fixed rates, and over minutes; empty where no option asked for them. */
  readonly long: readonly LongRow[]
  readonly requestConnections: number
  readonly requests: readonly RequestRow[]
}

/** The conditions of the numbers; nothing that identifies the machine's owner. */
export function describeMachine(server: {
  readonly version: string
  readonly fsync: string
  readonly synchronousCommit: string
}): Report['machine'] {
  const processors = cpus()
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryBytes: totalmem(),
    system: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    postgres: server.version,
    fsync: server.fsync,
    synchronousCommit: server.synchronousCommit,
  }
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const tenth = (value: number): string => value.toFixed(1)
const ratio = (value: number | null): string => (value === null ? '-' : value.toFixed(2))
const micros = (value: number | undefined): string => (value === undefined ? '-' : whole(value))
const mebibytes = (bytes: number): string => String(Math.round(bytes / 2 ** 20))

type Columns<Row> = readonly (readonly [string, (row: Row) => string])[]

const COLUMNS: Columns<Level> = [
  ['connections', ({ connections }) => String(connections)],
  ['auth/s', ({ perSecond }) => whole(perSecond)],
  ['p50 ms', ({ p50Ms }) => tenth(p50Ms)],
  ['p95 ms', ({ p95Ms }) => tenth(p95Ms)],
  ['p99 ms', ({ p99Ms }) => tenth(p99Ms)],
  ['p99.9 ms', ({ p999Ms }) => tenth(p999Ms)],
  ['worker RSS MiB', ({ workerBytes }) => workerBytes.map(mebibytes).join(' + ')],
  ['form echo/s', ({ formEchoPerSecond }) => whole(formEchoPerSecond)],
  ['÷ form echo', ({ ratioToFormEcho }) => ratio(ratioToFormEcho)],
  ['÷ TPC-B', ({ ratioToTpcb }) => ratio(ratioToTpcb)],
]

/** The cost of an authorization by kind of process, which machines compare better than rates. */
const COST_COLUMNS: Columns<Level> = [
  ['connections', ({ connections }) => String(connections)],
  ['gateway µs', ({ cost }) => micros(cost?.gateway)],
  ['database µs', ({ cost }) => micros(cost?.database)],
  ['bank µs', ({ cost }) => micros(cost?.bank)],
  ['load µs', ({ cost }) => micros(cost?.load)],
  ['TPC-B ÷ gateway and database', ({ costRatioToTpcb }) => ratio(costRatioToTpcb)],
]

const REQUEST_COLUMNS: Columns<RequestRow | LongRow> = [
  ['requests', ({ name }) => name],
  ['per second', ({ perSecond }) => whole(perSecond)],
  ['p50 ms', ({ p50Ms }) => tenth(p50Ms)],
  ['p99 ms', ({ p99Ms }) => tenth(p99Ms)],
  ['p99.9 ms', ({ p999Ms }) => tenth(p999Ms)],
  ['gateway µs', ({ cost }) => micros(cost?.gateway)],
  ['database µs', ({ cost }) => micros(cost?.database)],
  ['bank µs', ({ cost }) => micros(cost?.bank)],
]

/** Rows as a table in Markdown, lined up so that it also reads as plain text. */
export function table<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  const cells = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, show]) => show(row))),
  ]
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)))
  const lines = cells.map(
    (row) => `| ${row.map((cell, at) => cell.padStart(widths[at] ?? 0)).join(' | ')} |`,
  )
  const rule = `| ${widths.map((width) => `${'-'.repeat(width - 1)}:`).join(' | ')} |`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

/** The tables and the lines below them. */
export function summary(report: Report): string {
  return [
    table(COLUMNS, report.levels),
    '',
    'Processor time of an authorization:',
    '',
    table(COST_COLUMNS, report.levels),
    '',
    tpcbLine(report),
    '',
    threeDsLines(report.threeDs),
    '',
    `Other requests at ${report.requestConnections} connections; the mix has ${MIX_TEXT}:`,
    '',
    table(REQUEST_COLUMNS, report.requests),
    ...(report.long.length === 0
      ? []
      : ['', 'Authorizations:', '', table(REQUEST_COLUMNS, report.long)]),
  ].join('\n')
}

function tpcbLine({ tpcb, tpcbMean, tpcbCost, tpcbTerms }: Report): string {
  if (tpcbMean === null) return 'TPC-B was not measured: there is no pgbench.'
  const runs = tpcb.map(whole).join(' and ')
  const cost = tpcbCost === null ? '' : `, ${whole(tpcbCost)} µs each for pgbench and server`
  return `${tpcbTerms}: ${whole(tpcbMean)} tps (before and after the payments: ${runs})${cost}.`
}

const THREE_DS_COLUMNS: Columns<MeanLoad & { readonly name: string }> = [
  ['authorizations', ({ name }) => name],
  ['per second', ({ perSecond }) => whole(perSecond)],
  ['p50 ms', ({ p50Ms }) => tenth(p50Ms)],
  ['p95 ms', ({ p95Ms }) => tenth(p95Ms)],
  ['gateway µs', ({ cost }) => micros(cost?.gateway)],
  ['database µs', ({ cost }) => micros(cost?.database)],
  ['bank µs', ({ cost }) => micros(cost?.bank)],
]

/** Both kinds of payments, and how they compare. */
export function threeDsLines({ plain, ...enrolled }: ThreeDsLevel): string {
  const rows = [
    { name: 'without 3-D Secure', ...plain },
    { name: 'with 3-D Secure', ...enrolled },
  ]
  const added = tenth(enrolled.p95Ms - plain.p95Ms)
  return [
    `With 3-D Secure and no challenge, at ${enrolled.connections} connections:`,
    '',
    table(THREE_DS_COLUMNS, rows),
    '',
    `With 3-D Secure ${ratio(enrolled.ratioToPlain)} as many a second, and a p95 of ${added} ms more.`,
  ].join('\n')
}

/** The whole report as a page. */
export function reportPage(report: Report): string {
  const { machine } = report
  return `# Authorizations per second

Measured ${report.at.slice(0, 10)} with \`npm run bench\`: ${report.workers} gateway workers, the bundled
bank and the embedded PostgreSQL, with the load generator on the same machine; ${report.seconds} s for each
row after a warm-up and a checkpoint of the database. Every counted answer is a CCAUTHORIZE that was APPROVED.

${summary(report)}
The form echo is a bare HTTP server in ${report.workers} processes that sends the same form back as JSON.

Machine: ${machine.cpu}, ${machine.cores} cores, ${tenth(machine.memoryBytes / 2 ** 30)} GiB,
${machine.system}; Node ${machine.node}, PostgreSQL ${machine.postgres}
(fsync ${machine.fsync}, synchronous_commit ${machine.synchronousCommit}).
`
}
