import type { ClockView } from '../../../usecases/clocks/change-clock.ts'
import type { SourcedEntry } from '../../../usecases/clocks/read-agenda.ts'

/** A test site with what its clock shows. */
export interface SiteClock {
  readonly siteId: bigint
  readonly name: string
  readonly clock: ClockView
}

export interface ClockAgenda {
  readonly entries: readonly Pick<SourcedEntry, 'at' | 'what' | 'object'>[]
  /** To be sent as `after` for more; null: nothing more is known of. */
  readonly next: string | null
}
