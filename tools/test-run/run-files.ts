import { run } from 'node:test'
import { spec, type TestEvent } from 'node:test/reporters'
import type { Schedule } from './schedule.ts'

/** The results of a run: node's own counts, and the seconds of each file. */
export interface RunReport {
  readonly hasFailed: boolean
  readonly counts: Readonly<Record<CountName, number>>
  readonly wallSeconds: ReadonlyMap<string, number>
  readonly durationMs: number
}

type CountName = (typeof COUNT_NAMES)[number]
const COUNT_NAMES = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'] as const
const COUNT_LINE = new RegExp(`^(?:${COUNT_NAMES.join('|')}|duration_ms) [\\d.]+$`)

/** A test that waits forever fails, and the next one begins. */
const TIMEOUT_MS = 600_000
/** A file whose process lives on after its tests have failed is ended, and has failed. */
const FILE_TIMEOUT_MS = 660_000

/**
 * Runs test files as the schedule selects them, each in a process of its own. Their output goes to
 * standard output as from Node's own reporter. A file's lines come when it has ended, so that those
 * of several do not mix. `closing` returns the lines that come before the counts.
 */
export async function runFiles(
  schedule: Schedule,
  signal: AbortSignal,
  closing: (report: RunReport) => readonly string[],
  fileTimeoutMs = FILE_TIMEOUT_MS,
): Promise<RunReport> {
  const startedAt = performance.now()
  const reporter = new spec()
  reporter.pipe(process.stdout)
  const running = new Map<string, Promise<void>>()
  const wallSeconds = new Map<string, number>()
  const counts = new Map<CountName, number>(COUNT_NAMES.map((name) => [name, 0]))
  let hasFailed = false

  const runOne = async (file: string): Promise<void> => {
    const begun = performance.now()
    const events: TestEvent[] = []
    const stream: AsyncIterable<TestEvent> = run({
      files: [file],
      concurrency: 1,
      timeout: TIMEOUT_MS,
      signal: AbortSignal.any([signal, AbortSignal.timeout(fileTimeoutMs)]),
    })
    for await (const event of stream) {
      const count = countIn(event)
      if (count !== null) counts.set(count.name, (counts.get(count.name) ?? 0) + count.number)
      else if (!isCount(event)) events.push(event)
      if (event.type === 'test:fail' && event.data.todo === undefined) hasFailed = true
    }
    for (const event of events) if (!isSummary(event)) reporter.write(event)
    wallSeconds.set(file, (performance.now() - begun) / 1_000)
    running.delete(file)
  }

  for (;;) {
    const file = signal.aborted ? null : schedule.next([...running.keys()])
    if (file !== null) running.set(file, runOne(file))
    else if (running.size > 0) await Promise.race(running.values())
    else break
  }
  const report: RunReport = {
    hasFailed: hasFailed || signal.aborted || schedule.left > 0,
    counts: Object.fromEntries(counts) as Record<CountName, number>,
    wallSeconds,
    durationMs: performance.now() - startedAt,
  }
  for (const line of [...closing(report), ...countLines(report)]) {
    reporter.write({ type: 'test:diagnostic', data: { nesting: 0, message: line, level: 'info' } })
  }
  // The reporter repeats what has failed when it hears that this was all.
  reporter.write({ type: 'test:summary', data: { file: undefined } })
  reporter.end()
  await new Promise((resolve) => reporter.once('end', resolve))
  return report
}

/** The counts as Node's runner ends with, which other programs read. */
function countLines({ counts, durationMs }: RunReport): string[] {
  return [
    ...COUNT_NAMES.map((name) => `${name} ${counts[name]}`),
    `duration_ms ${durationMs.toFixed(3)}`,
  ]
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
