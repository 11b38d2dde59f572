import type { Clock } from '../../base/clock.ts'

/** A test site's own clock, as it stands in the database. */
export interface StoredClock {
  /** What it showed at `realAt` by the machine's clock. */
  readonly siteAt: Date
  readonly realAt: Date
  /** How many times as fast as the machine's it goes; 0: it stands still. */
  readonly speed: number
  /** Where it is being moved to, through everything that is due on the way; null: nowhere. */
  readonly targetAt: Date | null
}

/**
 * What the site's clock shows. At the machine's own speed it goes by itself. At any other speed,
 * and while it is being moved, it shows how far whoever moves it has come: so nothing that is due
 * has been left behind, and machines whose clocks differ a little show the same.
 */
export function timeShown(
  { realAt, siteAt, speed, targetAt }: StoredClock,
  machineTime: Date,
): Date {
  const goesByItself = speed === 1 && targetAt === null
  const passedMs = goesByItself ? Math.max(0, machineTime.getTime() - realAt.getTime()) : 0
  return new Date(siteAt.getTime() + passedMs)
}

/** Messages to the bank can tell no later time. */
export const LATEST_TIME = new Date('2099-12-31T23:59:59Z')
/** What a stoppage of all gateways took away is not made up for. */
const LONGEST_TICK_MS = 5_000

/** Where a clock that is being moved or runs fast should be by now. */
export function timeWanted(stored: StoredClock, machineTime: Date): Date {
  if (stored.targetAt !== null) return stored.targetAt
  const passedMs = Math.max(0, machineTime.getTime() - stored.realAt.getTime())
  return new Date(stored.siteAt.getTime() + Math.min(passedMs, LONGEST_TICK_MS) * stored.speed)
}

/** A site's clock, as it stood when it was read. */
export function clockOf(stored: StoredClock, machine: Clock): Clock {
  return { now: () => timeShown(stored, machine.now()) }
}
