// A process that runs test files against mutants, one after the other, as its parent orders.
import { Session } from 'node:inspector/promises'
import { performance } from 'node:perf_hooks'
import type { Order, Report, RunFunction, Survey, Verdict } from './messages.ts'
import { hookModules, pathOf } from './module-hooks.ts'
import { sourceFiles } from './scope.ts'
import { collect, countCases, runGroup } from './test-collector.ts'

const sources = new Set(sourceFiles())
const modules = hookModules()
const session = new Session()
let isCounting = false

// A mutant can leave a promise behind that fails during a later one. Only tests speak.
process.on('unhandledRejection', () => undefined)
process.on('uncaughtException', () => undefined)

// A property that fails has noticed the mutant; the smallest example is of no use here.
const { fc } = await import('../../test/support/properties.ts')
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })

process.on('message', (order: Order) => {
  void perform(order).then((report) => process.send?.(report))
})

async function perform(order: Order): Promise<Report> {
  return order.kind === 'survey' ? await survey(order.test) : await attempt(order)
}

async function survey(test: string): Promise<Survey> {
  if (!isCounting) {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    isCounting = true
  }
  modules.takeImports()
  await takeRun()
  const group = await collect(() => modules.load(test))
  const loaded = await takeRun()
  const begun = performance.now()
  const failure = await runGroup(group)
  return {
    kind: 'surveyed',
    test,
    cases: countCases(group),
    milliseconds: performance.now() - begun,
    failure: failure === null ? null : `${failure.test}: ${String(failure.error)}`,
    imports: modules.takeImports(),
    loaded,
    ran: await takeRun(),
  }
}

/** The functions of the mutated sources that ran since the last call. */
async function takeRun(): Promise<Record<string, RunFunction[]>> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const taken: Record<string, RunFunction[]> = {}
  for (const { url, functions } of result) {
    const path = pathOf(url)
    if (path === null || !sources.has(path)) continue
    taken[path] = functions.map(({ ranges }) =>
      ranges.map(({ startOffset, endOffset, count }) => [startOffset, endOffset, count] as const),
    )
  }
  return taken
}

async function attempt({
  source,
  text,
  affected,
  tests,
}: Extract<Order, { kind: 'try' }>): Promise<Verdict> {
  modules.begin(source, text, affected)
  for (const test of tests) {
    try {
      const group = await collect(() => modules.load(test))
      if ((await runGroup(group)) !== null) return { kind: 'tried', by: test }
    } catch {
      return { kind: 'tried', by: test }
    }
  }
  return { kind: 'tried', by: null }
}
