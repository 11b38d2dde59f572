import { createSandboxClock } from '@tollgate/client'
import type pg from 'pg'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { createChance } from '../torture/chance.ts'
import { importStatements } from './bank-statements.ts'
import { createBatchCloser, type PlannedDifference } from './close-batches.ts'
import { dateDisputes, type CaseDates } from './date-disputes.ts'
import { DAY_MS } from './days.ts'
import { createSampleDisputes } from './disputes.ts'
import { dateFees, planFees, untilFeesAreCharged } from './fees.ts'
import { signInOwner, type OwnerSession } from './owner-session.ts'
import type { SampleBank } from './sample-bank.ts'
import {
  createSampleMerchant,
  hasSampleMerchant,
  SAMPLE_MERCHANT,
  SAMPLE_PASSWORD,
  SAMPLE_SITES,
  SAMPLE_USERS,
  type SampleSite,
} from './sample-merchant.ts'
import { createSeller } from './sell.ts'
import { dateFiles, untilFilesAreBooked } from './settlement-files.ts'
import { giveTokenKeys } from './token-keys.ts'

const DAYS = 365
/** How many orders come with one moment of a site's clock, at most: several moments a day. */
const BURST = 12
/** Orders that are on their way at once, at one site. */
const AT_ONCE = 16
/** How much of all orders each site has. */
const SHARES = [0.5, 0.3, 0.2]
/** Between looks whether a clock has arrived. */
const CLOCK_MOVES_MS = 20
/** Until every process knows that a site has a clock of its own. */
const CLOCK_KNOWN_MS = 3_500

export interface FillOptions {
  readonly baseUrl: string
  readonly pool: pg.Pool
  readonly databaseUrl: string
  /** The bank that settles; null where another node runs it, and nothing is settled. */
  readonly bank: SampleBank | null
  /** About how many orders there shall be. */
  readonly orders: number
  readonly now: Date
  readonly seed?: string
  /** How many orders were requested so far. */
  onProgress(orders: number): void
}

export interface Filled {
  readonly orders: number
  /** False where everything was there already. */
  readonly didAnything: boolean
}

/**
 * Fills a sandbox with the orders of a year, made by payments at a merchant of its own whose sites'
 * clocks begin a year ago. An interrupted run continues at the time of the clocks; without clocks,
 * it is done.
 */
export async function fillSandbox(options: FillOptions): Promise<Filled> {
  const { pool, now } = options
  const begin = new Date(now.getTime() - DAYS * DAY_MS)
  if (!(await hasSampleMerchant(pool))) {
    await createSampleMerchant(pool, begin)
    await new Promise((resolve) => setTimeout(resolve, CLOCK_KNOWN_MS))
  }
  const { rows: clocks } = await pool.query<{ site_id: string; site_at: Date }>(
    'select site_id, site_at from site_clocks where site_id = any($1)',
    [SAMPLE_SITES.map(({ id }) => id)],
  )
  if (clocks.length === 0) return { orders: await countOrders(pool), didAnything: false }
  await planFees(pool, begin)
  const owner = await signInOwner(options.baseUrl)
  let asked = 0
  const onOrder = (): void => options.onProgress((asked += 1))
  const dates: CaseDates = []
  await Promise.all(
    SAMPLE_SITES.map(async (site, at) => {
      const clock = clocks.find(({ site_id: id }) => Number(id) === site.id)
      if (clock === undefined) return
      await fillSite(
        options,
        owner,
        site,
        Math.ceil(options.orders * (SHARES[at] ?? 0)),
        clock.site_at,
        dates,
        onOrder,
      )
    }),
  )
  if (options.bank !== null) {
    await untilFilesAreBooked(pool, owner, options.bank)
    await dateFiles(pool)
    await dateDisputes(pool, dates)
    await importStatements(options)
  }
  await untilFeesAreCharged(pool, owner)
  await dateFees(pool)
  await giveTokenKeys(owner)
  return { orders: await countOrders(pool), didAnything: true }
}

async function countOrders(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ orders: number }>(
    'select count(*)::int as orders from orders where merchant_id = $1',
    [SAMPLE_MERCHANT.id],
  )
  return rows[0]?.orders ?? 0
}

async function fillSite(
  { bank, baseUrl, now, pool, seed = 'tollgate' }: FillOptions,
  owner: OwnerSession,
  site: SampleSite,
  orders: number,
  reached: Date,
  dates: CaseDates,
  onOrder: () => void,
): Promise<void> {
  const access = (username: string) => ({
    baseUrl,
    username,
    password: SAMPLE_PASSWORD,
    siteId: site.id,
    timeoutMs: 120_000,
  })
  const clients: SingleRequestClient[] = SAMPLE_USERS.map((username) =>
    createSingleRequestClient(access(username)),
  )
  const clock = createSandboxClock(access(SAMPLE_USERS[0]))
  const chance = createChance(`${seed}/${site.id}`)
  const seller = createSeller(site, clients, chance.branch('orders'))
  const differences = site === SAMPLE_SITES[0] ? differencesOf(now) : []
  const closer = await createBatchCloser(pool, owner, bank, site, differences)
  const disputes =
    bank === null
      ? null
      : createSampleDisputes(
          { pool, owner, bank, now, chance: chance.branch('disputes'), dates },
          site.account,
          reached.getTime(),
        )
  const moments = momentsOf(orders, now, chance.branch('moments'))

  for (const [burst, { at, count }] of moments.entries()) {
    // An earlier run was here.
    if (at <= reached.getTime()) continue
    await moveTo(clock, new Date(at))
    if (await closer.closeAfterAWeek(at)) await disputes?.takeUntil(at)
    await seller.followUp(at)
    let next = 0
    const one = async (): Promise<void> => {
      while (next < count) {
        next += 1
        await seller.sell(`H${site.id}-${burst}-${next}`, at)
        onOrder()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
  }
  await disputes?.takeUntil(now.getTime() - DAY_MS)
  await closer.settleLast(now.getTime() - DAY_MS)
  await moveTo(clock, now)
  await clock.reset()
}

/** Settlement differences that a bookkeeper can work on: days before now, and their kinds. */
const DIFFERENCES = [
  [70, 'cent_less'],
  [45, 'unknown_sale'],
  [25, 'doubled'],
] as const

function differencesOf(now: Date): readonly PlannedDifference[] {
  return DIFFERENCES.map(([days, kind]) => ({ from: now.getTime() - days * DAY_MS, kind }))
}

type SandboxClock = ReturnType<typeof createSandboxClock>

async function moveTo(clock: SandboxClock, to: Date): Promise<void> {
  let state = await clock.jump(to)
  while (state.movingTo !== null) {
    await new Promise((resolve) => setTimeout(resolve, CLOCK_MOVES_MS))
    state = await clock.show()
  }
}

/**
 * When orders come, and how many: more by day than by night, more before holidays, more towards the
 * end.
 */
function momentsOf(
  orders: number,
  now: Date,
  chance: ReturnType<typeof createChance>,
): { at: number; count: number }[] {
  const begin = now.getTime() - DAYS * DAY_MS
  const firstMidnight = Math.floor(begin / DAY_MS) * DAY_MS
  const count = Math.max(Math.min(orders, 24), Math.ceil(orders / BURST))
  const moments = Array.from({ length: count }, () => {
    const share = Math.pow(chance.next(), 0.85)
    const day = Math.floor(share * (DAYS - 1))
    const hour = 7 + chance.between(0, 8) + chance.between(0, 7)
    return (
      firstMidnight +
      (day + 1) * DAY_MS +
      ((hour * 60 + chance.between(0, 59)) * 60 + chance.between(0, 59)) * 1_000
    )
  })
  const sorted = [...moments, now.getTime() - 3_600_000, now.getTime() - 600_000].toSorted(
    (left, right) => left - right,
  )
  return sorted
    .filter((at, place) => at < now.getTime() - 60_000 && at !== sorted[place - 1])
    .map((at, place, all) => ({
      at,
      count:
        Math.floor(((place + 1) * orders) / all.length) - Math.floor((place * orders) / all.length),
    }))
}
