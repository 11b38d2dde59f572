import { ClientError } from '@tollgate/client'
// `npm run soak`: good and fuzzed traffic against a real Tollgate for a time, and the resources of
// its processes meanwhile. See docs/internals/fuzz.md.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { payment } from '../../test/support/payments.ts'
import { credentials } from '../../test/support/running-gateway.ts'
import { createChance, type Chance } from '../torture/chance.ts'
import { allTargets } from './fuzz.ts'
import { startProgram, type StartedProgram } from './program.ts'
import { takeSample, type Sample } from './samples.ts'
import { judge, type Judgement, type Series } from './soak-judge.ts'
import type { Failure, Run } from './target.ts'

const USAGE = `Usage: npm run soak -- [options]
  --minutes N      how long (10)
  --seed TEXT      all inputs follow from it (a new one each time)
`
const SHOPS = 4
const BETWEEN_ORDERS_MS = 100
/** For each target: memory that grows because more is sent each second is no leak. */
const INPUTS_A_SECOND = 10
const SAMPLES = 120
const TELL_EVERY = 10
const HEAP_PROBE = new URL('heap-probe.mjs', import.meta.url).href
/** The memory that the bank may keep for an order with its movements: its books are in memory. */
const BANK_MB_AN_ORDER = 4 / 1024

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** The results of well-behaved shops. */
interface GoodTraffic {
  orders: number
  /** Requests refused with 503, without effect, to be sent again. */
  sentAway: number
  /** Payments that FAILED: fuzzed amounts make the bank break the link that these used too. */
  failed: number
}

/** A shop that behaves: it authorizes, captures or voids, and waits a little. */
async function trade(
  program: StartedProgram,
  chance: Chance,
  good: GoodTraffic,
  goesOn: () => boolean,
): Promise<Failure | null> {
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  const baseUrl = `http://127.0.0.1:${program.httpPort}`
  const client: SingleRequestClient = createSingleRequestClient({
    baseUrl,
    username,
    password,
    siteId: 1001,
  })
  while (goesOn()) {
    try {
      const { status, orderId } = await client.authorize(payment('12.00'))
      if (status === 'FAILED') {
        good.failed += 1
        continue
      }
      if (status !== 'APPROVED') return { what: `A good payment was ${status}.`, input: '12.00' }
      const adjusted = chance.happens(0.7)
        ? await client.capture({ orderId, amount: '5.00' })
        : await client.void({ orderId })
      if (adjusted.status !== 'APPROVED') {
        return { what: `A good adjustment was ${adjusted.status}.`, input: `of order ${orderId}` }
      }
      good.orders += 1
    } catch (error) {
      if (!(error instanceof ClientError && error.accepted === 'no')) throw error
      good.sentAway += 1
    }
    await new Promise((wake) => setTimeout(wake, BETWEEN_ORDERS_MS))
  }
  return null
}

/** Gives one turn after each interval; missed turns are not made up for. */
function createPace(intervalMs: number): () => Promise<void> {
  let next = 0
  return async () => {
    const now = performance.now()
    next = Math.max(next + intervalMs, now)
    await new Promise((wake) => setTimeout(wake, next - now))
  }
}

interface Soaked {
  readonly samples: readonly Sample[]
  /** Orders known to the bank, at each sample. */
  readonly orders: readonly number[]
  readonly failures: readonly Failure[]
}

async function soak(seed: string, seconds: number): Promise<Soaked> {
  const heapFolder = mkdtempSync(join(tmpdir(), 'tollgate-soak-'))
  const program = await startProgram({
    nodeOptions: `--import ${HEAP_PROBE}`,
    env: { TOLLGATE_HEAP_FOLDER: heapFolder },
  })
  const samples: Sample[] = []
  const orders: number[] = []
  const failures: Failure[] = []
  try {
    const startedAt = performance.now()
    const end = startedAt + seconds * 1_000
    const goesOn = (): boolean => performance.now() < end && failures.length === 0
    const chance = createChance(seed)
    const good: GoodTraffic = { orders: 0, sentAway: 0, failed: 0 }
    let fuzzed = 0
    let approved = 0
    const counted = (count: () => void, name: string): Run => ({
      chance: chance.branch(name),
      goesOn,
      pace: createPace(1_000 / INPUTS_A_SECOND),
      count,
      note: (told) => void (approved += told.startsWith('CCAUTH') || told.endsWith('200') ? 1 : 0),
    })
    const targets = (await allTargets()).filter((target) => target.needs === 'program')
    const work = [
      ...targets.map((target) =>
        target.fuzz(
          counted(() => void (fuzzed += 1), target.name),
          program,
        ),
      ),
      ...Array.from({ length: SHOPS }, (_, shop) =>
        trade(program, chance.branch(`shop ${shop}`), good, goesOn),
      ),
    ].map((part) =>
      part.then(
        (failure) => void (failure === null || failures.push(failure)),
        (error: unknown) => void failures.push({ what: String(error), input: program.saidLast() }),
      ),
    )
    for (let at = 1; at <= SAMPLES && goesOn(); at += 1) {
      const nextMs = startedAt + (seconds * 1_000 * at) / SAMPLES - performance.now()
      await new Promise((wake) => setTimeout(wake, Math.max(0, nextMs)))
      samples.push(await takeSample(program.pid, heapFolder))
      orders.push(good.orders + approved)
      if (at % TELL_EVERY === 0) {
        const second = Math.round((performance.now() - startedAt) / 1_000)
        tell(`${second} s: ${good.orders} good orders, ${fuzzed} fuzzed inputs`)
      }
    }
    await Promise.all(work)
    tell(
      `good traffic: ${good.orders} orders, ${good.failed} failed with the bank's link, ` +
        `${good.sentAway} requests were told to come again`,
    )
    const wrong = program.deaths()[0] ?? (await program.compareBooks())
    if (wrong !== null) failures.push({ what: wrong, input: program.saidLast() })
    else tell('verify and recon: all invariants hold, gateway and bank agree')
  } finally {
    await program.stop()
    rmSync(heapFolder, { recursive: true, force: true })
  }
  return { samples, orders, failures }
}

/** Each figure as a series, in the sequence in which it was first seen. */
function seriesOf({ samples, orders }: Soaked): Series[] {
  const names = [...new Set(samples.flatMap((sample) => [...sample.keys()]))]
  return names.map((name) => {
    const isMemory = name.endsWith('(MB)')
    return {
      name,
      values: samples.map((sample) => sample.get(name) ?? 0),
      slack: isMemory ? 2 : 5,
      ...(name.startsWith('bank') && isMemory
        ? { due: orders.map((count) => count * BANK_MB_AN_ORDER) }
        : {}),
    }
  })
}

function table(judgements: readonly Judgement[]): string {
  const rows = judgements.map(({ name, thirds, isFlat }) =>
    [
      name.padEnd(40),
      ...thirds.map((value) => value.toFixed(1).padStart(9)),
      isFlat ? '  flat' : '  GROWS',
    ].join(''),
  )
  return [`${'medians of the thirds'.padEnd(40)}  warm-up   middle     last`, ...rows].join('\n')
}

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    tell(USAGE)
    return 0
  }
  const minutes = Number(values.minutes)
  if (!(minutes >= 0.3 && minutes <= 24 * 60)) {
    throw new Error(`--minutes was given "${values.minutes}", where 0.3 to 1440 is expected.`)
  }
  tell(`seed ${values.seed}, ${minutes} minutes`)
  const soaked = await soak(values.seed, minutes * 60)
  for (const { what, input } of soaked.failures) tell(`FAULT: ${what}\n${input}`)
  if (soaked.failures.length > 0) return 1
  const judgements = seriesOf(soaked).map(judge)
  tell(table(judgements))
  const growing = judgements.filter(({ isFlat }) => !isFlat)
  tell(growing.length === 0 ? 'Nothing grows.' : `${growing.length} figures grow.`)
  return growing.length === 0 ? 0 : 1
}

run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    process.exit(1)
  },
)
