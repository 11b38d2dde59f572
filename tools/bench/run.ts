// `npm run bench` measures authorizations per second of the real program. It compares them with
// PostgreSQL's own benchmark on the same server and with a bare HTTP server, in one run.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { BaselineError, prepareBaseline } from './baseline.ts'
import { compare } from './compare.ts'
import { comparisonTables } from './comparison-report.ts'
import { enrolments } from './enrolments.ts'
import { startFormEcho, startGateway, THIS_CHECKOUT, workerMemory } from './measured-servers.ts'
import type { MeasuredGateway, MeasuredServer } from './measured-servers.ts'
import { endedProgramsMs } from './processor-time.ts'
import { describeMachine, reportPage, summary } from './report.ts'
import type { Level, Report, ThreeDsLevel } from './report.ts'
import { checkpoint, describeServer, findPgbench, pgbenchMissing, prepareTpcb } from './tpcb.ts'
import { socketFolder, TPCB_TERMS, type Tpcb } from './tpcb.ts'
import { APPROVED, authorizations, ECHOED, ENROLLED, loadGateway, loadOn } from './workload.ts'

const WORKERS = 2
/** Before the first row: until then the compiler takes a good part of the machine. */
const FIRST_WARM_UP_SECONDS = 15
const THREE_DS_CONNECTIONS = 16
const RESULTS = fileURLToPath(new URL('results/', import.meta.url))

const USAGE = `Usage: npm run bench -- [options]
  --seconds N            measured time for each row (5)
  --connections A,B      open requests for each row (1,16,64,256)
  --against COMMIT       measure this build and that commit's in turn; the results are not kept
  --profile FOLDER       leave CPU profiles there; the results are not kept then
`

interface Options {
  readonly seconds: number
  readonly connections: readonly number[]
  readonly profileDir: string | null
  /** A commit to compare with. */
  readonly against: string | null
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw new Error(`${option} is "${text}", where a whole number from 1 is expected.`)
  }
  return Number(text)
}

/** @throws Error, its message a sentence, for an option that cannot be. */
function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '1,16,64,256' },
      profile: { type: 'string' },
      against: { type: 'string' },
    },
  })
  return {
    seconds: wholeNumber('--seconds', values.seconds),
    connections: values.connections.split(',').map((text) => wholeNumber('--connections', text)),
    profileDir: values.profile === undefined ? null : resolve(values.profile),
    against: values.against ?? null,
  }
}

function report(line: string): void {
  process.stderr.write(`${line}\n`)
}

const AUTHORIZATIONS = { what: APPROVED, bodies: authorizations() }

/** Payments with 3-D Secure, right behind plain ones; the simulator shares the machine. */
async function measureThreeDs(gateway: MeasuredServer, options: Options): Promise<ThreeDsLevel> {
  const connections = THREE_DS_CONNECTIONS
  const bodies = await enrolments(gateway, connections)
  report(`Measuring payments with 3-D Secure at ${connections} connections ...`)
  const { seconds } = options
  const plain = await loadOn(gateway, { ...AUTHORIZATIONS, connections, seconds })
  const result = await loadOn(gateway, { what: ENROLLED, bodies, connections, seconds })
  return { connections, ...result, plain, ratioToPlain: result.perSecond / plain.perSecond }
}

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
    const levels: Omit<Level, 'ratioToTpcb' | 'costRatioToTpcb'>[] = []
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
    const threeDs = await measureThreeDs(gateway, options)

    const tpcbMean = meanOrNull(transactions.map(({ perSecond }) => perSecond))
    const tpcbCost = meanOrNull(transactions.flatMap(({ costMicros }) => costMicros ?? []))
    return {
      at: new Date().toISOString(),
      seconds,
      workers: WORKERS,
      machine,
      tpcb: transactions.map(({ perSecond }) => perSecond),
      tpcbMean,
      tpcbCost,
      tpcbTerms: TPCB_TERMS,
      threeDs,
      levels: levels.map((level) => ({
        ...level,
        ratioToTpcb: tpcbMean === null ? null : level.perSecond / tpcbMean,
        costRatioToTpcb:
          tpcbCost === null || level.cost === null
            ? null
            : tpcbCost / (level.cost.gateway + level.cost.database),
      })),
    }
  } finally {
    await gateway.stop()
  }
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

function keep(report: Report): void {
  mkdirSync(RESULTS, { recursive: true })
  const day = report.at.slice(0, 10)
  writeFileSync(join(RESULTS, `${day}.json`), `${JSON.stringify(report, null, 2)}\n`)
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
