import type { Clock } from '../../base/clock.ts'

/** A test site's own clock, as it stands in the database. */
export interface StoredClock {
  /** The time that it showed at `realAt` by the machine's clock. */
  readonly siteAt: Date
  readonly realAt: Date
  /** How many times as fast as the machine's it goes; 0: it stands still. */
  readonly speed: number
  /** The target of a move through everything that is due on the way; null: no move. */
  readonly targetAt: Date | null
}

/**
 * The time of the site's clock. At the machine's own speed it runs without a worker. At any other
 * speed, and during a move, it shows how far the worker has come. So no due event is left behind,
 * and machines whose clocks differ a little show the same.
 */
export function timeShown(
  { realAt, siteAt, speed, targetAt }: StoredClock,
  machineTime: Date,
): Date {
  const goesByItself = speed === 1 && targetAt === null
  const passedMs = goesByItself ? Math.max(0, machineTime.getTime() - realAt.getTime()) : 0
  return new Date(siteAt.getTime() + passedMs)
}

/** Messages to the bank cannot carry a later time. */
export const LATEST_TIME = new Date('2099-12-31T23:59:59Z')
/** Time lost while all gateways were stopped is not made up. */
const LONGEST_TICK_MS = 5_000

/** The time that a clock should show by now during a move or at a fast speed. */
export function timeWanted(stored: StoredClock, machineTime: Date): Date {
  if (stored.targetAt !== null) return stored.targetAt
  const passedMs = Math.max(0, machineTime.getTime() - stored.realAt.getTime())
  return new Date(stored.siteAt.getTime() + Math.min(passedMs, LONGEST_TICK_MS) * stored.speed)
}

/** A site's clock, as it stood when it was read. */
export function clockOf(stored: StoredClock, machine: Clock): Clock {
  return { now: () => timeShown(stored, machine.now()) }
}
