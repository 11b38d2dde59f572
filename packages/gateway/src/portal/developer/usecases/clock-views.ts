import type { ClockView } from '../../../usecases/clocks/change-clock.ts'

/** A test site with what its clock shows. */
export interface SiteClock {
  readonly siteId: bigint
  readonly name: string
  readonly clock: ClockView
}
