import type { RunFunction, Survey } from './messages.ts'

/** Which test files can notice a mistake at a place of a source. */
export interface Reach {
  /** The source and all files that import it through others. */
  readonly affected: (source: string) => readonly string[]
  /** Test files that ran the code at a position, the quickest first. */
  readonly testsAt: (source: string, position: number) => readonly string[]
  readonly milliseconds: (test: string) => number
}

/** Reads from the surveys of all test files which of them a place in the code concerns. */
export function reachOf(surveys: readonly Survey[]): Reach {
  const importers = new Map<string, Set<string>>()
  for (const { imports } of surveys) {
    for (const [from, to] of imports) {
      importers.set(to, (importers.get(to) ?? new Set()).add(from))
    }
  }
  const closures = new Map<string, readonly string[]>()
  const affected = (source: string): readonly string[] => {
    const known = closures.get(source)
    if (known !== undefined) return known
    const all = new Set([source])
    for (const each of all) for (const importer of importers.get(each) ?? []) all.add(importer)
    closures.set(source, [...all])
    return [...all]
  }
  const byTime = surveys.toSorted((a, b) => a.milliseconds - b.milliseconds)
  return {
    affected,
    testsAt: (source, position) => {
      // Code that runs when its module is loaded can show in every test that loads it.
      const isLoaded = surveys.some(({ loaded }) => isRun(loaded[source], position))
      const users = new Set(affected(source))
      return byTime
        .filter(({ test, ran }) => users.has(test) && (isLoaded || isRun(ran[source], position)))
        .map(({ test }) => test)
    },
    milliseconds: (test) => surveys.find((each) => each.test === test)?.milliseconds ?? 0,
  }
}

/** Whether the innermost counted stretch at a position ran. */
function isRun(functions: readonly RunFunction[] | undefined, position: number): boolean {
  let size = Infinity
  let ran = false
  for (const [start, end, count] of (functions ?? []).flat()) {
    if (start > position || position >= end || end - start > size) continue
    size = end - start
    ran = count > 0
  }
  return ran
}
