import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { runOneFile, type CountName, type FileRun } from './run-one-file.ts'

const SEVERAL = fileURLToPath(new URL('several-files.ts', import.meta.url))

/**
 * Runs test files in one process. Each has the events of its own tests. A failure that belongs to
 * none of them, such as a process that does not end, fails all of them.
 * @param files more than one; their paths are absolute
 */
export async function runTogether(
  files: readonly string[],
  signal: AbortSignal,
  fileTimeoutMs: number,
): Promise<FileRun[]> {
  const whole = await runOneFile(SEVERAL, signal, fileTimeoutMs, files)
  const first = files[0] ?? SEVERAL
  const fileOf = ({ data }: TestEvent): string | null => {
    const file = data !== undefined && 'file' in data ? data.file : undefined
    return file !== undefined && files.includes(file) ? file : null
  }
  const isFailure = (event: TestEvent): boolean =>
    event.type === 'test:fail' && event.data.todo === undefined
  const allFailed = whole.events.some((event) => isFailure(event) && fileOf(event) === null)
  return files.map((file) => {
    const events = whole.events.filter((event) => (fileOf(event) ?? first) === file)
    return {
      file,
      hasFailed: allFailed || events.some(isFailure),
      counts: countsOf(events),
      events,
      wallSeconds: whole.wallSeconds / files.length,
    }
  })
}

/** Counted as Node counts for a whole process. */
function countsOf(events: readonly TestEvent[]): Map<CountName, number> {
  const counts = new Map<CountName, number>()
  const count = (name: CountName): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type === 'suite') count('suites')
    else {
      count('tests')
      if (data.skip !== undefined) count('skipped')
      else if (data.todo !== undefined) count('todo')
      else count(type === 'test:pass' ? 'pass' : 'fail')
    }
  }
  return counts
}
