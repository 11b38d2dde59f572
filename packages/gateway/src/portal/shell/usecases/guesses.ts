import type { LoginAttempts, OpenAttempt } from '../../../usecases/logins/login-ports.ts'

/** While as many guesses of a caller are being judged as the limit allows, another one waits. */
const LOOK_AGAIN_EVERY_MS = 25
const WAIT_FOR_OTHERS_MS = 10_000

/**
 * Judges one guess of a password or a code. It is counted before, and uncounted when it was right,
 * so that no more than the limit are judged, by however many processes. Null: the caller is locked.
 */
export type JudgeGuess = <Verdict extends { readonly right: boolean }>(
  name: string,
  address: string,
  judge: () => Promise<Verdict>,
) => Promise<(Verdict & { readonly locks: boolean; readonly failures: number }) | null>

/** Judges guesses of one kind, as `attempts` count them over all processes. */
export function createJudgeGuess(
  attempts: Pick<LoginAttempts, 'begin' | 'fail' | 'withdraw'>,
  pause: (ms: number) => Promise<void>,
): JudgeGuess {
  async function begin(name: string, address: string): Promise<OpenAttempt | null> {
    for (let waitedMs = 0; waitedMs < WAIT_FOR_OTHERS_MS; waitedMs += LOOK_AGAIN_EVERY_MS) {
      const begun = await attempts.begin(name, address)
      if (begun === 'locked') return null
      if (begun !== 'full') return begun
      await pause(LOOK_AGAIN_EVERY_MS)
    }
    return null
  }

  return async (name, address, judge) => {
    const attempt = await begin(name, address)
    if (attempt === null) return null
    try {
      const verdict = await judge()
      if (!verdict.right) {
        const { failures, locked } = await attempts.fail(attempt)
        return { ...verdict, locks: locked, failures }
      }
      await attempts.withdraw(attempt)
      return { ...verdict, locks: false, failures: 0 }
    } catch (error) {
      // The caller learned nothing, so it is no failure. If this fails as well, it stays one.
      await attempts.withdraw(attempt).catch(() => undefined)
      throw error
    }
  }
}
