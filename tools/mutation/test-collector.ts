// Stands in for `node:test` while mutants run. Node's runner reports to a process of its own and
// cannot run a file twice. Here the tests of a file are collected, and run until the first failure.
import { mock } from 'node:test'

type Body = (context: Context) => unknown
type Hook = () => unknown

interface Context {
  readonly name: string
  readonly mock: typeof mock
  readonly after: (hook: Hook) => void
  readonly diagnostic: (line: string) => void
  readonly skip: (reason?: string) => void
}

interface Case {
  readonly name: string
  readonly body: Body
}

interface Group {
  readonly name: string
  readonly entries: (Case | Group)[]
  readonly hooks: Record<HookKind, Hook[]>
}

type HookKind = 'after' | 'afterEach' | 'before' | 'beforeEach'

let open = emptyGroup('')

/** The first failure of a file: the test's name and the reason. */
interface Failure {
  readonly test: string
  readonly error: unknown
}

/** Collects what the import of a file declares. */
export async function collect(load: () => Promise<unknown>): Promise<Group> {
  open = emptyGroup('')
  await load()
  return open
}

/** Runs collected tests until one fails; null when all pass. */
export async function runGroup(
  group: Group,
  outer: readonly Group[] = [],
): Promise<Failure | null> {
  const groups = [...outer, group]
  try {
    for (const hook of group.hooks.before) await hook()
    for (const entry of group.entries) {
      const failure = 'body' in entry ? await runCase(entry, groups) : await runGroup(entry, groups)
      if (failure !== null) return failure
    }
    return null
  } catch (error) {
    return { test: group.name, error }
  } finally {
    for (const hook of group.hooks.after) await Promise.resolve(hook()).catch(() => undefined)
  }
}

/** How many tests a group holds. */
export function countCases(group: Group): number {
  return group.entries.reduce((sum, each) => sum + ('body' in each ? 1 : countCases(each)), 0)
}

async function runCase({ name, body }: Case, groups: readonly Group[]): Promise<Failure | null> {
  const endings: Hook[] = []
  const context: Context = {
    name,
    mock,
    after: (hook) => endings.push(hook),
    diagnostic: () => undefined,
    skip: () => undefined,
  }
  try {
    for (const each of groups) for (const hook of each.hooks.beforeEach) await hook()
    await body(context)
    for (const each of groups) for (const hook of each.hooks.afterEach) await hook()
    return null
  } catch (error) {
    return { test: name, error }
  } finally {
    for (const ending of endings) await ending()
    mock.restoreAll()
  }
}

/** Options, such as a time limit, have no effect here. */
export function test(name: string, ...rest: readonly unknown[]): void {
  const [options, body] = rest.length > 1 ? rest : [undefined, rest[0]]
  const isSkipped = typeof options === 'object' && options !== null && 'skip' in options
  if (typeof body !== 'function' || (isSkipped && options.skip !== false)) return
  open.entries.push({ name, body: body as Body })
}

export function suite(name: string, body: () => void): void {
  const outer = open
  const group = emptyGroup(name)
  outer.entries.push(group)
  open = group
  body()
  open = outer
}

export function describe(name: string, body: () => void): void {
  suite(name, body)
}

export const before = (hook: Hook): unknown => open.hooks.before.push(hook)
export const after = (hook: Hook): unknown => open.hooks.after.push(hook)
export const beforeEach = (hook: Hook): unknown => open.hooks.beforeEach.push(hook)
export const afterEach = (hook: Hook): unknown => open.hooks.afterEach.push(hook)
export { mock }

function emptyGroup(name: string): Group {
  return { name, entries: [], hooks: { after: [], afterEach: [], before: [], beforeEach: [] } }
}
