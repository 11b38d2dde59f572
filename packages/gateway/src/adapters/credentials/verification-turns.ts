import { LoginsBusyError } from '../../usecases/logins/attempts-under-way.ts'
import type { VerificationPlace } from '../../usecases/logins/login-ports.ts'

/**
 * Slow verifications at once in a process. They run on four threads that everything else which Node
 * hands to threads shares, and each keeps a core busy.
 */
const AT_ONCE = 2
/** Logins in a process that are being verified or wait for it. */
const PLACES = 256
/** The same of one address, so that one sender does not take every place. */
const PLACES_PER_ADDRESS = 64

export interface VerificationLimits {
  readonly atOnce: number
  readonly places: number
  readonly placesPerAddress: number
}

/**
 * Gives slow verifications their turn: a few at once, the addresses one after the other, and no
 * more waiting than there are places. `enter` throws LoginsBusyError where there is none left.
 */
export function createVerificationTurns(
  limits: VerificationLimits = {
    atOnce: AT_ONCE,
    places: PLACES,
    placesPerAddress: PLACES_PER_ADDRESS,
  },
): (address: string) => VerificationPlace {
  const places = new Map<string, number>()
  /** Requests waiting for a turn, by address; the first address is the next one. */
  const waiting = new Map<string, (() => void)[]>()
  let taken = 0
  let running = 0

  function startNext(): void {
    while (running < limits.atOnce) {
      const [next] = waiting
      if (next === undefined) return
      const [address, queue] = next
      const start = queue.shift()
      waiting.delete(address)
      if (queue.length > 0) waiting.set(address, queue)
      running += 1
      start?.()
    }
  }

  function turn(address: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const queue = waiting.get(address)
    if (queue === undefined) waiting.set(address, [resolve])
    else queue.push(resolve)
    startNext()
    return promise
  }

  return (address) => {
    const mine = places.get(address) ?? 0
    if (taken >= limits.places || mine >= limits.placesPerAddress) throw new LoginsBusyError()
    taken += 1
    places.set(address, mine + 1)
    let left = false

    function leave(): void {
      if (left) return
      left = true
      taken -= 1
      const others = (places.get(address) ?? 1) - 1
      if (others === 0) places.delete(address)
      else places.set(address, others)
    }

    return {
      leave,
      async run(work) {
        await turn(address)
        try {
          return await work()
        } finally {
          running -= 1
          leave()
          startNext()
        }
      },
    }
  }
}
