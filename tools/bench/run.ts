// `npm run bench` measures authorizations per second of the real program. It compares them with
// PostgreSQL's own benchmark on the same server and with a bare HTTP server, in one run.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaselineError, prepareBaseline } from './baseline.ts'
import { compare } from './compare.ts'
import { comparisonTables } from './comparison-report.ts'
import { startFormEcho, startGateway, THIS_CHECKOUT, workerMemory } from './measured-servers.ts'
import type { MeasuredGateway } from './measured-servers.ts'
import { readOptions, USAGE, type Options } from './options.ts'
import { measureRequests } from './other-requests.ts'
import { runOverload } from './overload.ts'
import { endedProgramsMs } from './processor-time.ts'
import { describeMachine, reportPage, summary } from './report.ts'
import type { Level, LongRow, Report } from './report.ts'
import { measureThreeDs, runThreeDs } from './three-ds.ts'
import { checkpoint, describeServer, findPgbench, pgbenchMissing, prepareTpcb } from './tpcb.ts'
import { socketFolder, TPCB_TERMS, type Tpcb } from './tpcb.ts'
import { APPROVED, authorizations, ECHOED, loadGateway, loadOn } from './workload.ts'
import type { Load } from './workload.ts'

const WORKERS = 2
/** Before the first row: until then the compiler takes a good part of the machine. */
const FIRST_WARM_UP_SECONDS = 15
const REQUEST_CONNECTIONS = 64
/** Enough for every request that a busy gateway has open at once. */
const OPEN_LOOP_CONNECTIONS = 256
const RESULTS = fileURLToPath(new URL('results/', import.meta.url))

function report(line: string): void {
  process.stderr.write(`${line}\n`)
}

const AUTHORIZATIONS = { what: APPROVED, bodies: authorizations() }

/** One thing after the other, so that nothing measured shares the machine with another. */
async function measure(options: Options, dataDir: string): Promise<Report> {
  const { profileDir, seconds } = options
  report(`Starting the gateway with ${WORKERS} workers ...`)
  const gateway = await startGateway({
    checkout: THIS_CHECKOUT,
    dataDir,
    workers: WORKERS,
    profileDir,
  })
  try {
    const socketDir = socketFolder(dataDir)
    const machine = describeMachine(await describeServer(socketDir))
    const pgbench = profileDir === null ? findPgbench() : null
    if (pgbench === null && profileDir === null) report(pgbenchMissing())
    const tpcb = pgbench === null ? null : await prepareTpcb(pgbench, socketDir)

    const transactions: TpcbRun[] = []
    const measureTpcb = async (): Promise<void> => {
      if (tpcb === null) return
      report('Measuring TPC-B ...')
      await checkpoint(socketDir)
      transactions.push(await measureCost(tpcb, gateway, seconds))
    }
    report('Warming up ...')
    const warmUp = { connections: 64, seconds: FIRST_WARM_UP_SECONDS }
    await loadOn(gateway, { ...AUTHORIZATIONS, ...warmUp })
    await measureTpcb()
    const levels: Omit<Level, RatioNames>[] = []
    for (const connections of options.connections) {
      report(`Measuring authorizations at ${connections} connections ...`)
      await checkpoint(socketDir)
      const result = await loadGateway(gateway, { ...AUTHORIZATIONS, connections, seconds })
      const workerBytes = workerMemory(gateway.pid)
      const formEchoPerSecond = await measureFormEcho(connections, seconds)
      const ratioToFormEcho = result.perSecond / formEchoPerSecond
      levels.push({ connections, ...result, workerBytes, formEchoPerSecond, ratioToFormEcho })
    }
    await measureTpcb()
    await tpcb?.drop()
    const long = await measureLong(gateway, options)
    const threeDs = await measureThreeDs(gateway, seconds, report)
    const requests = await measureRequests(gateway, {
      connections: REQUEST_CONNECTIONS,
      seconds,
      onProgress: report,
    })

    return {
      at: new Date().toISOString(),
      seconds,
      workers: WORKERS,
      machine,
      threeDs,
      long,
      requestConnections: REQUEST_CONNECTIONS,
      requests,
      ...withRatios(levels, transactions),
    }
  } finally {
    await gateway.stop()
  }
}

type RatioNames = 'ratioToTpcb' | 'costRatioToTpcb'

/** The rows with their ratios to TPC-B, and TPC-B itself. */
function withRatios(
  levels: readonly Omit<Level, RatioNames>[],
  transactions: readonly TpcbRun[],
): Pick<Report, 'levels' | 'tpcb' | 'tpcbCost' | 'tpcbMean' | 'tpcbTerms'> {
  const tpcbMean = meanOrNull(transactions.map(({ perSecond }) => perSecond))
  const tpcbCost = meanOrNull(transactions.flatMap(({ costMicros }) => costMicros ?? []))
  const costRatio = (cost: Level['cost']): number | null =>
    tpcbCost === null || cost === null ? null : tpcbCost / (cost.gateway + cost.database)
  return {
    tpcb: transactions.map(({ perSecond }) => perSecond),
    tpcbMean,
    tpcbCost,
    tpcbTerms: TPCB_TERMS,
    levels: levels.map((level) => ({
      ...level,
      ratioToTpcb: tpcbMean === null ? null : level.perSecond / tpcbMean,
      costRatioToTpcb: costRatio(level.cost),
    })),
  }
}

/** Rows of a fixed rate, and of minutes without a checkpoint in front. */
async function measureLong(gateway: MeasuredGateway, options: Options): Promise<LongRow[]> {
  const rows: LongRow[] = []
  const run = async (name: string, load: Omit<Load, 'bodies' | 'what'>): Promise<void> => {
    report(`Measuring ${name} ...`)
    rows.push({ name, ...(await loadGateway(gateway, { ...AUTHORIZATIONS, ...load })) })
  }
  for (const ratePerSecond of options.rates) {
    const { seconds } = options
    const load = { connections: OPEN_LOOP_CONNECTIONS, seconds, ratePerSecond }
    await run(`${ratePerSecond} a second`, load)
  }
  const minutes = options.sustainedMinutes
  if (minutes !== null) {
    const load = { connections: REQUEST_CONNECTIONS, seconds: minutes * 60 }
    await run(`${minutes} min at ${REQUEST_CONNECTIONS} connections`, load)
  }
  return rows
}

interface TpcbRun {
  readonly perSecond: number
  /** Of pgbench and the server for one transaction; null where the system does not say. */
  readonly costMicros: number | null
}

async function measureCost(
  tpcb: Tpcb,
  gateway: MeasuredGateway,
  seconds: number,
): Promise<TpcbRun> {
  const spent = (): number | null => {
    const server = gateway.processorTime()
    const programs = endedProgramsMs()
    return server === null || programs === null ? null : server.database + programs
  }
  const before = spent()
  const perSecond = await tpcb.measure(seconds)
  const after = spent()
  const isKnown = before !== null && after !== null
  return {
    perSecond,
    costMicros: isKnown ? ((after - before) * 1_000) / (perSecond * seconds) : null,
  }
}

function meanOrNull(values: readonly number[]): number | null {
  if (values.length === 0) return null
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

async function measureFormEcho(connections: number, seconds: number): Promise<number> {
  const echo = await startFormEcho(WORKERS)
  try {
    const load = { what: ECHOED, bodies: authorizations(), connections, seconds }
    return (await loadOn(echo, load)).perSecond
  } finally {
    await echo.stop()
  }
}

/** Leaves out the ids that later rows sent again: megabytes, and no result. */
function withoutCollected(key: string, value: unknown): unknown {
  return key === 'collected' ? undefined : value
}

function keep(report: Report): void {
  mkdirSync(RESULTS, { recursive: true })
  const day = report.at.slice(0, 10)
  writeFileSync(join(RESULTS, `${day}.json`), `${JSON.stringify(report, withoutCollected, 2)}\n`)
  writeFileSync(join(RESULTS, 'latest.md'), reportPage(report))
}

async function runComparison(name: string, options: Options): Promise<number> {
  try {
    report(`Preparing the build of ${name} ...`)
    const baseline = prepareBaseline(name)
    const levels = await compare(baseline, {
      workers: WORKERS,
      seconds: options.seconds,
      firstWarmUpSeconds: FIRST_WARM_UP_SECONDS,
      connections: options.connections,
      threeDs: options.threeDs,
      onProgress: report,
    })
    process.stdout.write(`\n${comparisonTables(baseline.commit, levels)}\n`)
    return 0
  } catch (error) {
    report(error instanceof Error ? error.message : String(error))
    return error instanceof BaselineError ? 2 : 1
  }
}

async function main(args: readonly string[]): Promise<number> {
  let options: Options
  try {
    options = readOptions(args)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    return 2
  }
  if (options.against !== null) return await runComparison(options.against, options)
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  try {
    if (options.overload) return await runOverload(dataDir, WORKERS, options.seconds, report)
    if (options.threeDs) {
      await runThreeDs(dataDir, WORKERS, options, report)
      return 0
    }
    const measured = await measure(options, dataDir)
    process.stdout.write(`\n${summary(measured)}\n`)
    if (options.profileDir === null) keep(measured)
    return 0
  } catch (error) {
    report(`The run failed: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

process.exitCode = await main(process.argv.slice(2))
