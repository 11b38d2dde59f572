import { createFairTurns, type FairTurns } from '../http/payment/fair-turns.ts'
import type { Processor } from '../usecases/banks/processor.ts'
import type { ThreeDsDeps } from '../usecases/three-ds/three-ds-deps.ts'
import type { Foundation } from './foundation.ts'

/** More at once only wait longer: 128 for each of two workers give the most payments a second. */
const PLACES = 256
/** A quarter of a second of work, at 2,000 payments a second of one worker. */
const WAITING = 512

/** How many requests of merchants a worker has in work and waiting. */
export interface TurnLimits {
  readonly places: number
  readonly waiting: number
}

/** The turns of merchants' requests in this process. */
export function wireTurns({ metrics }: Foundation, limits: Partial<TurnLimits>): FairTurns<bigint> {
  const turns = createFairTurns<bigint>({ places: PLACES, waiting: WAITING, ...limits })
  metrics.watchTurns(turns.counts)
  return turns
}

/** Lends the turn of a payment while it waits for the Directory Server. */
export function lendWhileAuthenticating(
  threeDs: ThreeDsDeps,
  { lend }: Pick<FairTurns<bigint>, 'lend'>,
): ThreeDsDeps {
  const { server } = threeDs
  const authenticate: typeof server.authenticate = (question) =>
    lend(() => server.authenticate(question))
  return { ...threeDs, server: { ...server, authenticate } }
}

/** Lends the turn of a payment while it waits for the bank. */
export function lendWhileAsking(
  processor: Processor,
  { lend }: Pick<FairTurns<bigint>, 'lend'>,
): Processor {
  return {
    ...processor,
    authorize: (request, timeoutMs) => lend(() => processor.authorize(request, timeoutMs)),
  }
}
