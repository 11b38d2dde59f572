/** Of more failed files than this, none runs again: the cause is the change. */
const MOST_REPEATED = 6

/**
 * Evidence runs draw their own schedules, kills and inputs. One failure there is a finding, however
 * seldom it comes, so it stays a failure.
 */
const NEVER_REPEATED = ['test/simulation/', 'test/fuzz/', 'test/torture/', 'test/canary/']

/**
 * The failed files that run once more, each alone. A file that passes then depends on the
 * machine's load: the run passes, and names the file as unstable.
 * @param failed paths, with slashes
 * @returns all of them, or none
 */
export function filesToRepeat(failed: readonly string[]): readonly string[] {
  const isEvidence = (file: string): boolean => NEVER_REPEATED.some((part) => file.includes(part))
  return failed.length > MOST_REPEATED || failed.some(isEvidence) ? [] : failed
}
