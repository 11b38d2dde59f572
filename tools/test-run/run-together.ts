import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { runOneFile, type CountName, type FileRun } from './run-one-file.ts'

const SEVERAL = fileURLToPath(new URL('several-files.ts', import.meta.url))

/**
 * Runs test files in one process. Each has the events of its own tests. A failure that belongs to
 * none of them, such as a process that does not end, fails all of them.
 * @param files more than one; their paths are absolute
 * @param bundles what is loaded instead of some of them
 */
export async function runTogether(
  files: readonly string[],
  signal: AbortSignal,
  fileTimeoutMs: number,
  bundles: ReadonlyMap<string, string> = new Map(),
): Promise<FileRun[]> {
  const loaded = files.map((file) => bundles.get(file) ?? file)
  const whole = await runOneFile(SEVERAL, signal, fileTimeoutMs, {
    argv: [JSON.stringify(loaded), ...files],
    mapsSources: files.some((file) => bundles.has(file)),
  })
  const first = files[0] ?? SEVERAL
  const isFailure = (event: TestEvent): boolean =>
    event.type === 'test:fail' && event.data.todo === undefined
  const fileOf = (event: TestEvent): string | null => suiteOf(event, files) ?? testOf(event, files)
  const allFailed = whole.events.some((event) => isFailure(event) && fileOf(event) === null)
  const shares = sharesOf(whole.events, files)
  return files.map((file) => {
    const events = whole.events.filter((event) => (fileOf(event) ?? first) === file)
    return {
      file,
      hasFailed: allFailed || events.some(isFailure),
      counts: countsOf(events.filter((event) => suiteOf(event, files) === null)),
      events,
      wallSeconds: whole.wallSeconds * (shares.get(file) ?? 0),
    }
  })
}

/** The file whose test or hook this event is about; null for one of no file. */
function testOf({ data }: TestEvent, files: readonly string[]): string | null {
  const file = data !== undefined && 'file' in data ? data.file : undefined
  return file !== undefined && files.includes(file) ? file : null
}

/** The file that is this whole suite; null for an event about anything inside a file. */
function suiteOf({ data }: TestEvent, files: readonly string[]): string | null {
  if (data === undefined || !('name' in data) || !('file' in data)) return null
  return data.file === SEVERAL && files.includes(data.name) ? data.name : null
}

/** The part of the whole time that each file took; equal parts where the time is not known. */
function sharesOf(events: readonly TestEvent[], files: readonly string[]): Map<string, number> {
  const took = new Map<string, number>()
  for (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const file = suiteOf(event, files)
    if (file !== null) took.set(file, event.data.details.duration_ms)
  }
  const sum = [...took.values()].reduce((all, each) => all + each, 0)
  return new Map(
    files.map((file) => [file, sum === 0 ? 1 / files.length : (took.get(file) ?? 0) / sum]),
  )
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
