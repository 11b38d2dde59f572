import type { Chance } from './chance.ts'
import { PASS, type Fate } from './link.ts'
import { HARMS, type Harm, type HarmKind } from './plan.ts'
import type { Stage } from './stage.ts'

export type HarmCounts = Readonly<Record<HarmKind, number>>

export interface Harming {
  /** Harm done so far; harm to a dead process is not counted. */
  readonly counts: HarmCounts
  /** Resolves when the time is up, with every pause and fault over. */
  readonly finished: Promise<void>
}

/** On a machine that restarts parts slowly, all parts would otherwise be dead. */
const WORK_DEADLINE_MS = 10_000
/** So many requests are approved between two harms, however slow the machine is. */
const APPROVALS_BETWEEN = 10
const LOOK_EVERY_MS = 10

/** A machine that restarts parts so slowly that few are killed gets so many times the time. */
const LONGEST = 6

/**
 * Carries out a plan for a time, and longer until there was enough of it; waits before each step
 * until something works.
 */
export function startHarming(
  stage: Stage,
  plan: Iterable<Harm>,
  chance: Chance,
  {
    seconds,
    isEnough,
    approvals,
  }: {
    readonly seconds: number
    readonly isEnough: (counts: HarmCounts) => boolean
    /** How many requests of the clients were approved so far. */
    readonly approvals: () => number
  },
): Harming {
  const counts = Object.fromEntries(HARMS.map((kind) => [kind, 0])) as Record<HarmKind, number>
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1_000
  const isOver = (): boolean => {
    const now = performance.now()
    return now >= endsAt && (isEnough(counts) || now >= startedAt + LONGEST * seconds * 1_000)
  }
  const endings: Promise<void>[] = []
  let cuts = 0
  let slowdowns = 0

  const after = (ms: number, work: () => void): void => {
    endings.push(pause(ms).then(work))
  }
  /** False when there was nothing alive to harm. */
  const carryOut = ({ kind, which, lastsMs }: Harm): boolean => {
    const { workers, bank, database, link, vault } = stage
    switch (kind) {
      case 'kill worker': {
        const alive = workers.filter((worker) => worker.isReady())
        return alive[Math.floor(which * alive.length)]?.kill() ?? false
      }
      case 'kill bank':
        return bank.isReady() && bank.kill()
      case 'kill PostgreSQL':
        return database.kill()
      case 'kill vault':
        return vault?.isReady() === true && vault.kill()
      case 'kill PostgreSQL backend':
        return database.killBackend((pids) => pids[Math.floor(which * pids.length)] ?? 0)
      case 'pause worker':
      case 'pause bank':
      case 'pause vault': {
        const worker = workers[Math.floor(which * workers.length)]
        const part = { 'pause worker': worker, 'pause bank': bank, 'pause vault': vault }[kind]
        if (part?.pause() !== true) return false
        after(lastsMs, () => part.resume())
        return true
      }
      case 'pause PostgreSQL':
        if (!database.pause()) return false
        after(lastsMs, () => database.resume())
        return true
      case 'cut link':
        cuts += 1
        link.cut()
        after(lastsMs, () => {
          cuts -= 1
          if (cuts === 0) link.mend()
        })
        return true
      case 'slow link':
        slowdowns += 1
        link.slow(20 + Math.floor(which * 400))
        after(lastsMs * 2, () => {
          slowdowns -= 1
          if (slowdowns === 0) link.slow(0)
        })
        return true
    }
  }
  const run = async (): Promise<void> => {
    stage.link.decide(rollFate(chance.branch('link')))
    for (const harm of plan) {
      await untilWorking(stage, approvals)
      const leftMs = endsAt - performance.now()
      await pause(leftMs > 0 ? Math.min(harm.afterMs, leftMs) : harm.afterMs)
      if (isOver()) break
      if (carryOut(harm)) counts[harm.kind] += 1
    }
    await Promise.all(endings)
    stage.link.decide(() => PASS)
  }
  return { counts, finished: run() }
}

/** Waits, though not for ever, until some payments were made. */
async function untilWorking(
  { bank, database, vault, workers }: Stage,
  approvals: () => number,
): Promise<void> {
  const end = performance.now() + WORK_DEADLINE_MS
  const enough = approvals() + APPROVALS_BETWEEN
  while (performance.now() < end) {
    const hasVault = vault === null || vault.isReady()
    const hasBank = bank.isReady() && database.isReady()
    const isUp = hasVault && hasBank && workers.some((worker) => worker.isReady())
    if (isUp && approvals() >= enough) return
    await pause(LOOK_EVERY_MS)
  }
}

/** The fate of each message, a few in a hundred of them bad. */
function rollFate(chance: Chance): (mti: string) => Fate {
  return (mti) => {
    // A lost sign-on only costs ten seconds of quiet.
    if (mti.startsWith('08')) return PASS
    const roll = chance.next()
    if (roll < 0.006) return { kind: 'lose' }
    if (roll < 0.014) return { kind: 'double' }
    if (roll < 0.026) return { kind: 'delay', ms: chance.between(50, 2_500) }
    if (roll < 0.027) return { kind: 'tear' }
    return PASS
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
}
