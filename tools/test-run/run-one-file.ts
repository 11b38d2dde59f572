import { run } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { makesManyPromises } from './groups.ts'

/** Everything that one run of a test file printed, counted and cost. */
export interface FileRun {
  readonly file: string
  readonly hasFailed: boolean
  readonly counts: ReadonlyMap<CountName, number>
  readonly events: readonly TestEvent[]
  readonly wallSeconds: number
}

export type CountName = (typeof COUNT_NAMES)[number]
export const COUNT_NAMES = [
  'tests',
  'suites',
  'pass',
  'fail',
  'cancelled',
  'skipped',
  'todo',
] as const
const COUNT_LINE = new RegExp(`^(?:${COUNT_NAMES.join('|')}|duration_ms) [\\d.]+$`)

/** Stack traces of a bundle name the lines of its sources. */
const MAPPED = '--enable-source-maps'
const UNTRACKED = `--import=${new URL('untracked-promises.ts', import.meta.url).href}`

/** A test that waits forever fails, and the next one begins. */
const TIMEOUT_MS = 1_400_000

/** The program of a test file, where that is not the file alone. */
interface Program {
  /** Arguments of the file. */
  readonly argv?: readonly string[]
  /** The bundle to start instead of the file; its events are those of the file. */
  readonly bundle?: string | null
  /** Whether stack traces shall name the sources of bundles. */
  readonly mapsSources?: boolean
}

/**
 * Runs a test file in a process of its own.
 * @param fileTimeoutMs a file whose process lives on after its tests is ended then, and has failed
 */
export async function runOneFile(
  file: string,
  signal: AbortSignal,
  fileTimeoutMs: number,
  { argv = [], bundle = null, mapsSources = bundle !== null }: Program = {},
): Promise<FileRun> {
  const begun = performance.now()
  const counts = new Map<CountName, number>()
  const events: TestEvent[] = []
  let hasFailed = false
  const stream: AsyncIterable<TestEvent> = run({
    files: [bundle ?? file],
    // A process is counted as that of the first test file among its arguments.
    argv: bundle === null ? [...argv] : [file, ...argv],
    execArgv: [...(makesManyPromises(file) ? [UNTRACKED] : []), ...(mapsSources ? [MAPPED] : [])],
    concurrency: 1,
    timeout: TIMEOUT_MS,
    signal: AbortSignal.any([signal, AbortSignal.timeout(fileTimeoutMs)]),
  })
  for await (const seen of stream) {
    const event = bundle === null ? seen : eventOfSource(seen, bundle, file)
    const count = countIn(event)
    if (count !== null) counts.set(count.name, count.number)
    else if (!isCount(event) && !isSummary(event)) events.push(event)
    if (event.type === 'test:fail' && event.data.todo === undefined) hasFailed = true
  }
  const wallSeconds = (performance.now() - begun) / 1_000
  return { file, hasFailed, counts, events, wallSeconds }
}

/** The event of a whole bundle has the bundle's name, and those inside name sources already. */
function eventOfSource(event: TestEvent, bundle: string, file: string): TestEvent {
  const { data } = event
  if (data === undefined) return event
  const named = {
    ...('name' in data && data.name === bundle ? { name: file } : {}),
    ...('file' in data && data.file === bundle ? { file } : {}),
  }
  return Object.assign({}, event, { data: Object.assign({}, data, named) })
}

function isCount(event: TestEvent): boolean {
  return (
    event.type === 'test:diagnostic' &&
    event.data.file === undefined &&
    COUNT_LINE.test(event.data.message)
  )
}

/** The end of one file's run, which is not the end of ours. */
function isSummary(event: TestEvent): boolean {
  return event.type === 'test:summary' && event.data.file === undefined
}

/** One line of the counts that each file's run ends with; null for everything else. */
function countIn(event: TestEvent): { readonly name: CountName; readonly number: number } | null {
  if (!isCount(event) || event.type !== 'test:diagnostic') return null
  const [first = '', number = ''] = event.data.message.split(' ')
  const name = COUNT_NAMES.find((each) => each === first)
  return name === undefined ? null : { name, number: Number(number) }
}
