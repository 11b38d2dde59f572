import pg from 'pg'
// `npm run seed`: fills the sandbox with a year of orders, for demonstrations.
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { loadConfig, readEnvironment } from '../../packages/gateway/src/config/config.ts'
import { runningDatabaseUrl } from '../../packages/tollgate/src/running-database.ts'
import { fillSandbox } from './fill.ts'
import { createSampleBank } from './sample-bank.ts'
import { SAMPLE_MERCHANT, SAMPLE_PASSWORD } from './sample-merchant.ts'

const USAGE = `Usage: npm run seed [-- ORDERS]
  ORDERS   how many orders, 100000 if absent; SEED_ORDERS sets it too.
Fills the sandbox that runs with these settings (npm start) with the orders of a year.`
const MANY = 1_000_000

function tell(line: string): void {
  process.stderr.write(`${line}\n`)
}

async function main(args: readonly string[]): Promise<number> {
  const [text = process.env['SEED_ORDERS'] ?? '100000', ...rest] = args
  const orders = Number(text)
  if (rest.length > 0 || !Number.isInteger(orders) || orders < 1 || orders > MANY) {
    tell(USAGE)
    return 1
  }
  const environment = readEnvironment(process.cwd(), process.env)
  if (environment['MODE'] === 'production') {
    tell('Sample orders are for the sandbox alone. MODE is production: nothing was done.')
    return 1
  }
  const loaded = loadConfig(environment)
  if (!loaded.ok) {
    tell(loaded.problems.join('\n'))
    return 1
  }
  const { config } = loaded
  const databaseUrl = runningDatabaseUrl(config)
  const { http } = config
  if (databaseUrl === null || http === null || !(await answers(config.baseUrl))) {
    tell(
      'No sandbox is running with these settings. Start it with npm start, and run npm run seed beside it.',
    )
    return 1
  }
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 3 })
  pool.on('error', () => undefined)
  const started = Date.now()
  tell(
    `About ${orders.toLocaleString('en-US')} orders are made through the payment address, which takes ${estimate(orders)}. If it is stopped, it goes on where it was.`,
  )
  try {
    const filled = await fillSandbox({
      baseUrl: config.baseUrl,
      pool,
      databaseUrl,
      // The files of a shared bank are fetched by the node that runs it.
      bank: config.bundledBank === 'on' ? createSampleBank(config) : null,
      orders,
      now: new Date(),
      onProgress: progress(orders, started),
    })
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
    tell(
      filled.didAnything
        ? `There are ${filled.orders.toLocaleString('en-US')} orders of ${SAMPLE_MERCHANT.name} now, made in ${Math.round((Date.now() - started) / 1000)} s.`
        : `${SAMPLE_MERCHANT.name} has its ${filled.orders.toLocaleString('en-US')} orders already: nothing was done.`,
    )
    tell(`Sign in at ${config.baseUrl}/portal as ${SAMPLE_MERCHANT.owner} with ${SAMPLE_PASSWORD}.`)
    return 0
  } finally {
    await pool.end()
  }
}

/** Whether a gateway takes requests there. */
async function answers(baseUrl: string): Promise<boolean> {
  const client = createSingleRequestClient({
    baseUrl,
    username: 'demo@tollgate.test',
    password: 'Sandbox-4.14-demo',
    siteId: 1001,
    timeoutMs: 5_000,
  })
  return client.testGateway().then(
    () => true,
    () => false,
  )
}

function estimate(orders: number): string {
  const seconds = 20 + orders / 700
  return seconds < 90
    ? `about ${Math.ceil(seconds / 10) * 10} seconds`
    : `about ${Math.ceil(seconds / 60)} minutes on two cores`
}

/** A line that is written over on a terminal; elsewhere one for each tenth. */
function progress(orders: number, started: number): (done: number) => void {
  let reported = 0
  return (done) => {
    const isTerminal = process.stderr.isTTY
    if (done - reported < (isTerminal ? 250 : Math.max(1, orders / 10)) && done !== orders) return
    reported = done
    const line = `${done.toLocaleString('en-US')} of about ${orders.toLocaleString('en-US')} orders, ${Math.round((Date.now() - started) / 1000)} s`
    if (isTerminal) process.stderr.write(`\r\u001b[K${line}`)
    else tell(line)
  }
}

process.exitCode = await main(process.argv.slice(2))
