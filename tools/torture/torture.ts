import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openAnswerBook, type AnswerBook, type Entry } from './answer-book.ts'
import { readBankSide } from './bank-side.ts'
import { countAnswers, type Certificate } from './certificate.ts'
import { createChance } from './chance.ts'
import { compareDisputed, type DisputeResult } from './dispute-books.ts'
import { startDisputes, type DisputeWork } from './dispute-work.ts'
import { drain } from './drain.ts'
import { startEventReaders, type EventReaders } from './event-readers.ts'
import { readGatewayBooks } from './gateway-books.ts'
import { startHarming, type HarmCounts } from './harm.ts'
import { HARMS, planHarms } from './plan.ts'
import { reconcile } from './reconcile.ts'
import { compareRenewals, startRenewals } from './renewals.ts'
import { compareSettled, type SettlementResult } from './settlement-books.ts'
import { startSettlement, type SettlementWork } from './settlement-work.ts'
import { setStage, type Stage } from './stage.ts'
import { startTraffic } from './traffic.ts'

export interface TortureOptions {
  readonly seed: string
  readonly seconds: number
  /** Until this was done the run continues beyond its time, which a slow machine may need. */
  readonly isEnough?: (
    harms: HarmCounts,
    answers: readonly Entry[],
    settled: SettlementWork['counts'],
    disputed: DisputeWork['counts'],
  ) => boolean
  readonly workers: number
  readonly clients: number
  readonly bankTimeoutMs: number
  /** A folder for data, log and the clients' record; it is left behind. */
  readonly folder: string
  readonly synced?: boolean
  readonly gatewayBreaks?: string
  readonly bankBreaks?: string
  readonly tell: (line: string) => void
}

/** Enough that some are charged whenever something is killed. */
const MEMBERSHIPS = 100
const TELL_EVERY_MS = 5_000
/**
 * The jobs take up a crash's leftovers after half a minute, and the longest repeat waits a minute.
 */
const DRAIN_DEADLINE_MS = 240_000
export const NO_HARM = Object.fromEntries(HARMS.map((kind) => [kind, 0])) as HarmCounts

/** Traffic and harm at once for a time; then quiet, and three records that must say the same. */
export async function torture(options: TortureOptions): Promise<Certificate> {
  const { folder, seconds, seed, tell } = options
  mkdirSync(folder, { recursive: true })
  const stage = await setStage({ ...options, vaultProcess: true })
  // Work that never ends by itself; it is stopped also after a failure.
  const endless: (() => unknown)[] = []
  try {
    const chance = createChance(seed)
    // Before the traffic, under which a slow machine may delay the bank's answer too long.
    const renewals = await startRenewals({
      baseUrl: stage.baseUrls[0] ?? '',
      pool: stage.pool,
      memberships: MEMBERSHIPS,
    })
    endless.push(() => renewals.stop())
    const readers = await startEventReaders(stage, chance.branch('webhooks'))
    endless.push(() => readers.stop())
    const settlement = await startSettlement(stage, chance.branch('settlement'), folder)
    endless.push(() => settlement.stop())
    const disputes = startDisputes(stage, chance.branch('disputes'), folder)
    endless.push(() => disputes.stop())
    const book = openAnswerBook(join(folder, 'answers.jsonl'))
    const traffic = startTraffic({
      baseUrls: stage.baseUrls,
      isReady: (worker) => stage.workers[worker]?.isReady() === true,
      clients: options.clients,
      chance: chance.branch('traffic'),
      book,
      prefix: `torture-${seed}`,
    })
    endless.push(() => traffic.stop())
    const isEnough = options.isEnough ?? (() => true)
    const harming = startHarming(stage, planHarms(chance.branch('plan')), chance, {
      seconds,
      isEnough: (harms) => isEnough(harms, book.entries, settlement.counts, disputes.counts),
      approvals: () => book.approvals,
    })
    const endProgress = tellProgress(tell, book, harming.counts)
    endless.push(endProgress)
    await harming.finished
    endProgress()
    await traffic.stop()
    await book.close()
    await renewals.stop()
    await stage.heal()
    await renewals.untilPaid(DRAIN_DEADLINE_MS)
    const money = { settlement, disputes }
    const run = { seed, seconds, harms: harming.counts, tell, money, readers }
    return await conclude(stage, book, run)
  } finally {
    await Promise.all(endless.map((stop) => stop()))
    await stage.stop()
  }
}

/** Reports the progress of a run now and then. @returns a function that ends the reports */
function tellProgress(
  tell: TortureOptions['tell'],
  book: AnswerBook,
  counts: HarmCounts,
): () => void {
  const startedAt = performance.now()
  const progress = setInterval(() => {
    const at = Math.round((performance.now() - startedAt) / 1_000)
    tell(`${at} s: ${book.entries.length} operations, ${killsIn(counts)} kills`)
  }, TELL_EVERY_MS)
  return () => clearInterval(progress)
}

/** The work on money that is captured already. */
interface MoneyWork {
  readonly settlement: SettlementWork
  readonly disputes: DisputeWork
}

/** Heals everything, waits until nothing is open, and compares the three records. */
export async function conclude(
  stage: Stage,
  book: AnswerBook,
  run: {
    readonly seed: string
    readonly seconds: number
    readonly harms: HarmCounts
    readonly tell: (line: string) => void
    /** None where nothing was settled and disputed. */
    readonly money?: MoneyWork
    /** None where no shop read the events. */
    readonly readers?: EventReaders
  },
): Promise<Certificate> {
  const unfinished = await finishWork(stage, run)
  const gateway = await readGatewayBooks(stage.pool)
  const bank = await readBankSide(stage.bankFolder)
  const renewals = await compareRenewals(stage.pool)
  const money = await compareMoney(stage, run.money, { entries: book.entries, gateway, bank })
  const differences = [
    ...unfinished,
    ...reconcile(book.entries, gateway, bank),
    ...renewals.differences,
    ...money.differences,
    ...((await run.readers?.compare()) ?? []),
  ]
  for (const part of [
    stage.bank,
    ...(stage.vault === null ? [] : [stage.vault]),
    ...stage.workers,
  ]) {
    if (part.ownDeaths > 0) {
      differences.push(`${part.name} ended ${part.ownDeaths} times by itself; see ${stage.logFile}`)
    }
  }
  const transactions = [...gateway.transactions.values()]
  const { pass: _passed, ...linkFaults } = stage.link.counts
  return {
    seed: run.seed,
    seconds: run.seconds,
    operations: book.entries.length,
    answers: countAnswers(book.entries),
    harms: run.harms,
    kills: killsIn(run.harms),
    linkFaults,
    orders: gateway.orders.size,
    approvedOrders: [...gateway.orders.values()].filter(
      ({ authorized, refunded }) => authorized + refunded > 0n,
    ).length,
    renewals: renewals.charged,
    unknownOutcomes: transactions.filter(({ serviceCode }) => serviceCode === 502).length,
    reversals: gateway.advices.reversals,
    repeatedAdvices: gateway.advices.repeated,
    bankRecords: bank.records,
    settlement: money.settlement,
    disputes: money.disputes,
    learned: run.readers?.counts() ?? null,
    differences,
  }
}

/** Waits until nothing is open, and stops all programs. @returns a sentence for what stays open */
async function finishWork(
  stage: Stage,
  run: Pick<Parameters<typeof conclude>[2], 'money' | 'readers' | 'tell'>,
): Promise<readonly string[]> {
  const { money, readers, tell } = run
  await stage.heal()
  // Answers to disputes move money, which the last files must have.
  const [left, unanswered = []] = await Promise.all([
    drain(stage.pool, DRAIN_DEADLINE_MS, tell),
    money?.disputes.finish(),
  ])
  const unsettled = (await money?.settlement.finish()) ?? []
  // Those files have captures that the bank disputes.
  const unrecorded = (await money?.disputes.finish()) ?? []
  const unread = (await readers?.finish(DRAIN_DEADLINE_MS)) ?? []
  await stage.drain()
  const unfinished = [...unanswered, ...unsettled, ...unrecorded, ...unread]
  if (left.running === 0 && left.queued === 0) return unfinished
  const running =
    `${left.running} transactions were still running and ${left.queued} advices still queued ` +
    `after ${DRAIN_DEADLINE_MS / 1_000} seconds of quiet`
  return [running, ...unfinished]
}

async function compareMoney(
  stage: Stage,
  work: MoneyWork | undefined,
  records: Omit<Parameters<typeof compareSettled>[1], 'deposits' | 'outcomes'>,
): Promise<{
  readonly settlement: SettlementResult | null
  readonly disputes: DisputeResult | null
  readonly differences: readonly string[]
}> {
  if (work === undefined) return { settlement: null, disputes: null, differences: [] }
  const disputed = await compareDisputed(stage, records.bank, work.disputes.given)
  const { outcomes } = disputed
  const { deposits } = work.settlement
  const settled = await compareSettled(stage, { ...records, deposits, outcomes })
  return {
    settlement: settled.result,
    disputes: disputed.result,
    differences: [...settled.differences, ...disputed.differences],
  }
}

function killsIn(counts: HarmCounts): number {
  return HARMS.filter((kind) => kind.startsWith('kill')).reduce(
    (sum, kind) => sum + counts[kind],
    0,
  )
}
