import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import type { RefusalName } from './refusals.ts'

/** A request whose sender is known and whose action is understood. */
export interface ActionRequest {
  readonly requestId: bigint
  readonly userId: bigint
  readonly site: Site
  readonly params: ReadonlyMap<string, string>
}

/** Either what a use case is to do, or why it is not asked. */
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

/** An identifier whose form is checked already; null when it was not sent. */
export function readId(params: ReadonlyMap<string, string>, name: string): bigint | null {
  const digits = params.get(name)
  return digits === undefined ? null : BigInt(digits)
}
