import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import type { RefusalName } from './refusals.ts'

/** A request of an authenticated API user, for an action of the gateway. */
export interface ActionRequest {
  readonly requestId: bigint
  readonly userId: bigint
  readonly site: Site
  readonly params: ReadonlyMap<string, string>
  /** The words of a test for the test bank, checked; null: none. */
  readonly bankTest: string | null
}

/** Either the command for a use case, or the reason why there is none. */
export type Reading<Command> =
  | { readonly kind: 'command'; readonly command: Command }
  | RefusedReading

export interface RefusedReading {
  readonly kind: 'refused'
  readonly name: RefusalName
  readonly field: string
}

export function refused(name: RefusalName, field: string): RefusedReading {
  return { kind: 'refused', name, field }
}

export function missing(field: string): RefusedReading {
  return refused('parameter_missing', field)
}
