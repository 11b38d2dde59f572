import { relative } from 'node:path'
import { spec, type TestEvent } from 'node:test/reporters'
import { LOOK_EVERY_MS, watchIdleCores } from './idle-cores.ts'
import { COUNT_NAMES, runOneFile, type CountName, type FileRun } from './run-one-file.ts'
import { runTogether } from './run-together.ts'
import type { Schedule } from './schedule.ts'
import { filesToRepeat } from './second-runs.ts'

/** The results of a run: node's own counts, and the seconds of each file. */
export interface RunReport {
  readonly hasFailed: boolean
  readonly counts: Readonly<Record<CountName, number>>
  readonly wallSeconds: ReadonlyMap<string, number>
  readonly durationMs: number
  /** Files that failed beside others, and passed alone. */
  readonly unstable: readonly string[]
}

/** For a file that hangs. On a slow machine the leak search was not done after 11 minutes. */
const FILE_TIMEOUT_MS = 1_500_000

/**
 * Runs test files as the schedule selects them, in processes of their own. Their output goes to
 * standard output as from Node's own reporter. A file's lines come when it has ended, so that those
 * of several do not mix. A few failed files run once more at the end, each alone. `closing` returns
 * the lines that come before the counts.
 * @param filesOf the files that one entry of the schedule stands for; they run in one process
 * @param bundles what is loaded instead of files; a second run loads the file itself
 */
export async function runFiles(
  schedule: Schedule,
  signal: AbortSignal,
  closing: (report: RunReport) => readonly string[],
  fileTimeoutMs = FILE_TIMEOUT_MS,
  filesOf: (entry: string) => readonly string[] = (entry) => [entry],
  bundles: ReadonlyMap<string, string> = new Map(),
): Promise<RunReport> {
  const startedAt = performance.now()
  const reporter = new spec()
  reporter.pipe(process.stdout)
  const show = ({ events }: FileRun): void => events.forEach((event) => reporter.write(event))

  const run = async (entry: string): Promise<FileRun[]> => {
    const files = filesOf(entry)
    const ended =
      files.length > 1
        ? await runTogether(files, signal, fileTimeoutMs, bundles)
        : [await runOneFile(entry, signal, fileTimeoutMs, { bundle: bundles.get(entry) ?? null })]
    for (const each of ended) await (each.hasFailed ? showFailedRun(each) : show(each))
    return ended
  }
  const first = await runScheduled(schedule, signal, run)
  const failed = first.filter(({ hasFailed }) => hasFailed).map(({ file }) => file)
  const repeated = signal.aborted ? [] : filesToRepeat(failed)
  const second: FileRun[] = []
  for (const file of repeated) second.push(await runOneFile(file, signal, fileTimeoutMs))
  const last = [...first.filter(({ file }) => !repeated.includes(file)), ...second]
  for (const each of last) if (failed.includes(each.file)) show(each)

  const report: RunReport = {
    hasFailed: last.some(({ hasFailed }) => hasFailed) || signal.aborted || schedule.left > 0,
    counts: sumCounts(last),
    wallSeconds: new Map(first.map(({ file, wallSeconds }) => [file, wallSeconds])),
    durationMs: performance.now() - startedAt,
    unstable: second.filter(({ hasFailed }) => !hasFailed).map(({ file }) => file),
  }
  for (const line of [...closing(report), ...unstableLines(report), ...countLines(report)]) {
    reporter.write(diagnostic(line))
  }
  // The reporter repeats what has failed when it hears that this was all.
  reporter.write({ type: 'test:summary', data: { file: undefined } })
  reporter.end()
  await new Promise((resolve) => reporter.once('end', resolve))
  return report
}

async function runScheduled(
  schedule: Schedule,
  signal: AbortSignal,
  run: (entry: string) => Promise<readonly FileRun[]>,
): Promise<FileRun[]> {
  const running = new Map<string, Promise<void>>()
  const all: FileRun[] = []
  const cores = watchIdleCores()
  for (;;) {
    const entry = signal.aborted ? null : schedule.next([...running.keys()], cores.idle())
    if (entry !== null) {
      cores.startOver()
      const ending = run(entry).then((ended) => {
        running.delete(entry)
        all.push(...ended)
      })
      running.set(entry, ending)
    } else if (running.size > 0) await Promise.race([...running.values(), nextLook()])
    else return all
  }
}

function nextLook(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref())
}

/** By a reporter of its own: the one of the whole run lists all that it has seen failing. */
async function showFailedRun({ file, events }: FileRun): Promise<void> {
  const reporter = new spec()
  for (const event of events) reporter.write(event)
  reporter.end()
  const text = await reporter.setEncoding('utf8').toArray()
  process.stdout.write(`${file} has failed:\n${text.join('')}\n`)
}

function diagnostic(message: string): TestEvent {
  return { type: 'test:diagnostic', data: { nesting: 0, message, level: 'info' } }
}

function sumCounts(runs: readonly FileRun[]): Record<CountName, number> {
  const sum = (name: CountName): number =>
    runs.reduce((all, { counts }) => all + (counts.get(name) ?? 0), 0)
  return Object.fromEntries(COUNT_NAMES.map((name) => [name, sum(name)])) as Record<
    CountName,
    number
  >
}

function unstableLines({ unstable }: RunReport): string[] {
  return unstable.map(
    (file) => `UNSTABLE: ${relative('', file)} failed beside others, and passed alone. Fix it.`,
  )
}

/** The counts as Node's runner ends with, which other programs read. */
function countLines({ counts, durationMs }: RunReport): string[] {
  return [
    ...COUNT_NAMES.map((name) => `${name} ${counts[name]}`),
    `duration_ms ${durationMs.toFixed(3)}`,
  ]
}
