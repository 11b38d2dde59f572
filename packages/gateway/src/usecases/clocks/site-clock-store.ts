import type { ClockedSite } from './due-source.ts'
import type { StoredClock } from './stored-clock.ts'

/** How many of what were done on a move, by the name of the source. */
export type Done = Readonly<Record<string, number>>

/** A clock, and how far its latest move has come. */
export interface ClockState extends StoredClock {
  /** Null: it was never moved. */
  readonly movedFrom: Date | null
  readonly done: Done
  /** For how many milliseconds more a process may not know that the site has a clock. */
  readonly unknownForMs: number
  /**
   * A worker holds the clock right now, and may have processed events a little later than it shows.
   */
  readonly isLookedAfter: boolean
}

/** A clock that this process alone holds until its lease ends. */
export interface LeasedClock extends ClockState {
  readonly site: ClockedSite
  readonly lease: bigint
}

/** Why a clock was not changed. */
export type ClockFault =
  | { readonly kind: 'none' }
  | { readonly kind: 'moving'; readonly state: ClockState }
  | { readonly kind: 'backwards'; readonly state: ClockState }
  | { readonly kind: 'ahead'; readonly state: ClockState }

export type ClockChange = { readonly kind: 'changed'; readonly state: ClockState } | ClockFault

/** The store of sites' clocks. Every change is one statement; `now` is the machine's time. */
export interface SiteClockStore {
  read(siteId: bigint): Promise<ClockState | null>
  /** Makes one that shows the machine's time. Harmless where there is one. */
  make(siteId: bigint, now: Date, by: string): Promise<void>
  /** Asks the worker that holds it to move it to `target`. */
  aim(siteId: bigint, target: Date, now: Date, by: string): Promise<ClockChange>
  setSpeed(siteId: bigint, speed: number, now: Date, by: string): Promise<ClockChange>
  /** Takes it away, unless it shows a later time than the machine's. */
  remove(siteId: bigint, now: Date): Promise<ClockChange>
  /** Clocks that are to be looked after, under a lease. */
  lease(limit: number): Promise<readonly LeasedClock[]>
  /** False when the lease was lost. */
  renew(leased: LeasedClock): Promise<boolean>
  /**
   * Everything up to `at` was done. `arrived`: a jump has come to its end. False when the lease was
   * lost, and nothing was written.
   */
  reach(
    leased: LeasedClock,
    reached: {
      readonly at: Date
      readonly arrived: boolean
      readonly now: Date
      readonly done: Done
    },
  ): Promise<boolean>
  /** Releases the lease; a worker should check the clock after this delay. */
  release(leased: LeasedClock, lookAgainMs: number): Promise<void>
}
