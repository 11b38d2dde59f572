// Runs one set of the test files:
//   node --conditions=tollgate-source tools/test-run/run.ts <set> [--write-costs]
// `npm test`, `npm run test:quick` and `npm run test:all` are this with what it needs around it.
import { startEmbeddedPostgres } from '@tollgate/tollgate'
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { layCluster, UNSYNCED } from '../../packages/tollgate/test/cluster-template.ts'
import { readCosts, writeCosts } from './costs.ts'
import { costOfGroup, groupFiles } from './groups.ts'
import { runFiles } from './run-files.ts'
import { createSchedule, type Cost } from './schedule.ts'
import { bundleTests, isBundled } from './test-bundles.ts'
import { holds, readSet, setOf } from './test-sets.ts'
import { watchCpu } from './watch-cpu.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SHOWN_SLOWEST = 20

const [name = 'default', ...flags] = process.argv.slice(2)
const set = readSet(name)
const files = testFiles()
const chosen = files.filter((file) => holds(set, setOf(file)))
const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-run-'))
const cpuFile = join(folder, 'cpu')
process.env['TOLLGATE_TEST_CPU'] = cpuFile
if (set === 'all') {
  process.env['TOLLGATE_TEST_DEPTH'] = 'full'
  process.env['TOLLGATE_TEST_SEED'] ??= String(randomInt(2 ** 31))
}
const ended = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => ended.abort())

const stopServer = set === 'quick' ? () => undefined : await startSharedServer()
try {
  const costs = readCosts()
  const absolute = (file: string): string => join(ROOT, file)
  const groups = groupFiles(chosen, costs, (file) => readFileSync(absolute(file), 'utf8'))
  // An entry of the schedule is its first file.
  const entries = new Map(groups.map((group) => [absolute(group[0] ?? ''), group]))
  const schedule = createSchedule(
    [...entries.keys()],
    new Map([...entries].map(([entry, group]) => [entry, costOfGroup(group, costs)])),
    availableParallelism(),
  )
  const bundled = set === 'quick' ? [] : chosen.filter(isBundled).map(absolute)
  const bundles = await bundleTests(bundled, join(folder, 'bundles'))
  const filesOf = (entry: string): string[] => (entries.get(entry) ?? []).map(absolute)
  const watch = watchCpu()
  const report = await runFiles(
    schedule,
    ended.signal,
    ({ wallSeconds }) => {
      const measured = withCpu(wallSeconds, watch.stop(), groups)
      if (flags.includes('--write-costs')) writeCosts(measured, files)
      return [...slowest(measured), ...seedLine()]
    },
    undefined,
    filesOf,
    bundles,
  )
  process.exitCode = report.hasFailed ? 1 : 0
} finally {
  await stopServer()
  rmSync(folder, { recursive: true, force: true })
}

/** Every test file, from the checkout's root. */
function testFiles(): string[] {
  const packages = readdirSync(join(ROOT, 'packages')).map((each) => join('packages', each, 'test'))
  return [...packages, 'test']
    .filter((each) => existsSync(join(ROOT, each)))
    .flatMap((each) =>
      readdirSync(join(ROOT, each), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(each, path),
      ),
    )
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
}

/** One PostgreSQL for all files that want an empty database and no server of their own. */
async function startSharedServer(): Promise<() => Promise<void>> {
  const dataDir = join(folder, 'postgres')
  layCluster(dataDir)
  const server = await startEmbeddedPostgres({ dataDir, settings: UNSYNCED })
  process.env['TOLLGATE_TEST_SERVER'] = server.url
  return () => server.stop('immediate')
}

/**
 * The processor seconds of files that ran together are theirs as their durations are.
 * A file's own count lacks processes that it did not wait for. The watched count lacks those that
 * ended between two samples. The larger count is nearer.
 */
function withCpu(
  wallSeconds: ReadonlyMap<string, number>,
  watched: ReadonlyMap<string, number>,
  groups: readonly (readonly string[])[],
): Map<string, Cost> {
  const recorded = existsSync(cpuFile) ? readFileSync(cpuFile, 'utf8') : ''
  const own = new Map(
    recorded.split('\n').map((line) => {
      const [file = '', seconds = ''] = line.split('\t')
      return [file, Number(seconds)]
    }),
  )
  const measured = new Map<string, Cost>()
  for (const group of groups) {
    const [first = ''] = group.map((file) => join(ROOT, file))
    const together = Math.max(own.get(first) ?? 0, watched.get(first) ?? 0)
    const seconds = group.map((file) => wallSeconds.get(join(ROOT, file)) ?? 0)
    const sum = seconds.reduce((all, each) => all + each, 0)
    for (const [at, file] of group.entries()) {
      const wall = seconds[at] ?? 0
      if (wall > 0) measured.set(file, { wallSeconds: wall, cpuSeconds: (together * wall) / sum })
    }
  }
  return measured
}

function slowest(measured: ReadonlyMap<string, Cost>): string[] {
  const costs = [...measured].toSorted(([, a], [, b]) => b.wallSeconds - a.wallSeconds)
  const sum = (each: (cost: Cost) => number): string =>
    costs.reduce((all, [, cost]) => all + each(cost), 0).toFixed(0)
  return [
    `${costs.length} files took ${sum((cost) => cost.wallSeconds)} s in all, and computed for ` +
      `${sum((cost) => cost.cpuSeconds)} s; the ${SHOWN_SLOWEST} slowest:`,
    ...costs
      .slice(0, SHOWN_SLOWEST)
      .map(
        ([file, { wallSeconds, cpuSeconds }]) =>
          `${wallSeconds.toFixed(1).padStart(6)} s, ${cpuSeconds.toFixed(1).padStart(5)} s computing  ${file}`,
      ),
  ]
}

function seedLine(): string[] {
  const seed = process.env['TOLLGATE_TEST_SEED']
  return seed === undefined
    ? []
    : [`properties were drawn from TOLLGATE_TEST_SEED=${seed}, which draws the same again`]
}
