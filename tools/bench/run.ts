// `npm run bench` measures authorizations per second of the real program. It compares them with
// PostgreSQL's own benchmark on the same server and with a bare HTTP server, in one run.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { AUTHENTICATED, enrolments } from './enrolments.ts'
import type { LoadJob, LoadResult } from './load.ts'
import { runLoad, startFormEcho, startGateway, workerMemory } from './measured-servers.ts'
import type { MeasuredServer } from './measured-servers.ts'
import {
  describeMachine,
  levelTable,
  reportPage,
  threeDsLine,
  tpcbLine,
  type Level,
  type Report,
  type ThreeDsLevel,
} from './report.ts'
import { checkpoint, describeServer, findPgbench, pgbenchMissing, prepareTpcb } from './tpcb.ts'
import { socketFolder, TPCB_TERMS } from './tpcb.ts'

const WORKERS = 2
const WARM_UP_MS = 2_000
/** Before the first row: until then the compiler takes a good part of the machine. */
const FIRST_WARM_UP_MS = 15_000
const THREE_DS_CONNECTIONS = 16
const PAYMENT_PATH = '/payment/pmt_service.cfm'
const RESULTS = fileURLToPath(new URL('results/', import.meta.url))

const USAGE = `Usage: npm run bench -- [options]
  --seconds N            measured time for each row (5)
  --connections A,B      open requests for each row (1,16,64,256)
  --profile FOLDER       leave CPU profiles there; the results are not kept then
`

/** The sandbox's published merchant and cards. */
function authorizations(): string[] {
  const cards = ['4111111111111111', '4907639999990022']
  const amounts = ['12.50', '48.00', '7.25', '103.40']
  return cards.flatMap((card) =>
    amounts.map((amount) =>
      new URLSearchParams({
        request_action: 'CCAUTHORIZE',
        req_username: 'demo@tollgate.test',
        req_password: 'Sandbox-4.14-demo',
        site_id: '1001',
        request_api_version: '4.14',
        request_response_format: 'JSON',
        pmt_numb: card,
        pmt_expiry: '122040',
        pmt_key: '123',
        li_value_1: amount,
      }).toString(),
    ),
  )
}

interface Options {
  readonly seconds: number
  readonly connections: readonly number[]
  readonly profileDir: string | null
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw new Error(`${option} was given "${text}", where a whole number from 1 is expected.`)
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
    },
  })
  return {
    seconds: wholeNumber('--seconds', values.seconds),
    connections: values.connections.split(',').map((text) => wholeNumber('--connections', text)),
    profileDir: values.profile === undefined ? null : resolve(values.profile),
  }
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}

type Expected = Pick<LoadJob, 'path' | 'expected'>
const APPROVED: Expected = { path: PAYMENT_PATH, expected: '"TRANS_STATUS_NAME":"APPROVED"' }
const ECHOED: Expected = { path: '/', expected: '"request_action":"CCAUTHORIZE"' }

function loadOn(
  { host, port }: MeasuredServer,
  what: Expected,
  connections: number,
  { seconds }: Options,
  bodies = authorizations(),
): Promise<LoadResult> {
  const times = { warmUpMs: WARM_UP_MS, measureMs: seconds * 1_000 }
  return runLoad({ host, port, ...what, bodies, connections, ...times })
}

/** Payments with 3-D Secure, right behind plain ones; the simulator shares the machine. */
async function measureThreeDs(gateway: MeasuredServer, options: Options): Promise<ThreeDsLevel> {
  const connections = THREE_DS_CONNECTIONS
  const bodies = await enrolments(gateway, connections)
  tell(`Measuring payments with 3-D Secure at ${connections} connections ...`)
  const plain = await loadOn(gateway, APPROVED, connections, options)
  const enrolled = { path: PAYMENT_PATH, expected: AUTHENTICATED }
  const result = await loadOn(gateway, enrolled, connections, options, bodies)
  return { connections, ...result, plain, ratioToPlain: result.perSecond / plain.perSecond }
}

/** One thing after the other, so that nothing measured shares the machine with another. */
async function measure(options: Options, dataDir: string): Promise<Report> {
  const { profileDir } = options
  tell(`Starting the gateway with ${WORKERS} workers ...`)
  const gateway = await startGateway({ dataDir, workers: WORKERS, profileDir })
  try {
    const socketDir = socketFolder(dataDir)
    const machine = describeMachine(await describeServer(socketDir))
    const pgbench = profileDir === null ? findPgbench() : null
    if (pgbench === null && profileDir === null) tell(pgbenchMissing())
    const tpcb = pgbench === null ? null : await prepareTpcb(pgbench, socketDir)

    const transactionRates: number[] = []
    const measureTpcb = async (): Promise<void> => {
      if (tpcb === null) return
      tell('Measuring TPC-B ...')
      await checkpoint(socketDir)
      transactionRates.push(await tpcb.measure(options.seconds))
    }
    tell('Warming up ...')
    await loadOn(gateway, APPROVED, 64, { ...options, seconds: FIRST_WARM_UP_MS / 1_000 })
    await measureTpcb()
    const levels: Omit<Level, 'ratioToTpcb'>[] = []
    for (const connections of options.connections) {
      tell(`Measuring authorizations at ${connections} connections ...`)
      await checkpoint(socketDir)
      const result = await loadOn(gateway, APPROVED, connections, options)
      const workerBytes = workerMemory(gateway.pid)
      const formEchoPerSecond = await measureFormEcho(connections, options)
      const ratioToFormEcho = result.perSecond / formEchoPerSecond
      levels.push({ connections, ...result, workerBytes, formEchoPerSecond, ratioToFormEcho })
    }
    await measureTpcb()
    await tpcb?.drop()
    const threeDs = await measureThreeDs(gateway, options)

    const sum = transactionRates.reduce((total, rate) => total + rate, 0)
    const tpcbMean = transactionRates.length === 0 ? null : sum / transactionRates.length
    return {
      at: new Date().toISOString(),
      seconds: options.seconds,
      workers: WORKERS,
      machine,
      tpcb: transactionRates,
      tpcbMean,
      tpcbTerms: TPCB_TERMS,
      threeDs,
      levels: levels.map((level) => ({
        ...level,
        ratioToTpcb: tpcbMean === null ? null : level.perSecond / tpcbMean,
      })),
    }
  } finally {
    await gateway.stop()
  }
}

async function measureFormEcho(connections: number, options: Options): Promise<number> {
  const echo = await startFormEcho(WORKERS)
  try {
    return (await loadOn(echo, ECHOED, connections, options)).perSecond
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

async function main(args: readonly string[]): Promise<number> {
  let options: Options
  try {
    options = readOptions(args)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
    return 2
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  try {
    const report = await measure(options, dataDir)
    process.stdout.write(
      `\n${levelTable(report.levels)}\n\n${tpcbLine(report)}\n${threeDsLine(report)}\n`,
    )
    if (options.profileDir === null) keep(report)
    return 0
  } catch (error) {
    tell(`The run failed: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

process.exitCode = await main(process.argv.slice(2))
