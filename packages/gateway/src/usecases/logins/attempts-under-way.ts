/**
 * Requests of one caller that may wait for each other in a process: far more than a burst of one.
 */
const WAITING_LIMIT = 10_000

/** More logins wait than a process takes on: nothing was verified, and they may come again. */
export class LoginsBusyError extends Error {
  constructor() {
    super('Too many logins are waiting to be verified; this one was not accepted.')
    this.name = 'LoginsBusyError'
  }
}

/**
 * The slow logins under way in this process. Requests with the same password wait for the one that
 * verifies it. No password is compared while another attempt of the same user is being counted,
 * since that attempt may be the one that locks.
 */
export interface AttemptsUnderWay {
  /**
   * Resolves when what stands before a request is done; undefined when nothing does. Without a
   * digest only the counting is waited for. Throws LoginsBusyError when too many wait.
   */
  ahead(username: string, address: string, digest: Buffer | null): Promise<void> | undefined
  /** Runs a login that says when it is counted. */
  track<Result>(
    username: string,
    address: string,
    digest: Buffer,
    login: (counted: () => void) => Promise<Result>,
  ): Promise<Result>
}

export function createAttemptsUnderWay(): AttemptsUnderWay {
  const underWay = new Map<string, Promise<void>>()
  let waiting = 0
  const callerOf = (username: string, address: string): string => `${address} ${username}`
  const passwordOf = (caller: string, digest: Buffer): string =>
    `${digest.toString('base64')} ${caller}`

  function start(key: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    underWay.set(key, promise)
    return () => {
      if (underWay.get(key) === promise) underWay.delete(key)
      resolve()
    }
  }

  async function wait(first: Promise<void>): Promise<void> {
    waiting += 1
    await first
    waiting -= 1
  }

  return {
    ahead(username, address, digest) {
      if (underWay.size === 0) return undefined
      const caller = callerOf(username, address)
      const first =
        (digest === null ? undefined : underWay.get(passwordOf(caller, digest))) ??
        underWay.get(caller)
      if (first === undefined) return undefined
      if (waiting >= WAITING_LIMIT) throw new LoginsBusyError()
      return wait(first)
    },

    async track(username, address, digest, login) {
      const caller = callerOf(username, address)
      const counted = start(caller)
      const verified = start(passwordOf(caller, digest))
      try {
        return await login(counted)
      } finally {
        counted()
        verified()
      }
    },
  }
}
