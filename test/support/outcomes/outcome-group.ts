/** A test of another file that produces an outcome. */
export interface OtherTest {
  /** Relative to the root of the repository. */
  readonly file: string
  /** Its title, as the file has it. */
  readonly title: string
}

type Reasons = Readonly<Record<string, string>>

/** Outcomes of one kind that an integrator can see. */
export interface OutcomeGroup {
  readonly title: string
  /** All that code and documents name, read from the code. */
  readonly documented: readonly string[]
  /** Those that no answer of this gateway has, each with the reason. */
  readonly exceptions?: Reasons
  /** Those that a sweep of requests cannot produce, with the test that does. */
  readonly elsewhere?: Readonly<Record<string, OtherTest>>
}

/** How a group stands after a sweep. */
export interface GroupResult {
  readonly title: string
  readonly documented: number
  readonly exceptions: number
  readonly swept: number
  readonly elsewhere: number
  /** Each outcome that is missing or wrongly listed; empty for a group that is whole. */
  readonly faults: readonly string[]
}

/**
 * Compares a group with the outcomes that a sweep has seen. Each documented outcome is seen, or
 * stands in exactly one list. A listed outcome that is seen is a fault too, so that no list is
 * longer than the truth. Seen outcomes that are not documented are not judged.
 */
export function judgeGroup(group: OutcomeGroup, seen: ReadonlySet<string>): GroupResult {
  const { documented, elsewhere = {}, exceptions = {}, title } = group
  const lists = Object.entries({ exceptions, elsewhere })
  const faults: string[] = []
  const known = new Set(documented)
  for (const [list, entries] of lists) {
    for (const outcome of Object.keys(entries)) {
      if (!known.has(outcome)) faults.push(`${outcome} is in ${list}, and is not documented`)
      if (seen.has(outcome)) faults.push(`${outcome} is in ${list}, and was produced: remove it`)
    }
  }
  for (const outcome of known) {
    const places = lists.filter(([, entries]) => Object.hasOwn(entries, outcome)).length
    if (places > 1) faults.push(`${outcome} is in ${places} lists`)
    if (places === 0 && !seen.has(outcome)) faults.push(`${outcome} was not produced`)
  }
  return {
    title,
    documented: known.size,
    exceptions: Object.keys(exceptions).length,
    swept: [...known].filter((outcome) => seen.has(outcome)).length,
    elsewhere: Object.keys(elsewhere).length,
    faults: faults.map((fault) => `${title}: ${fault}`),
  }
}

/** Produced outcomes in percent of those that the gateway has, rounded down. */
export function percentOf({
  documented,
  elsewhere,
  exceptions,
  swept,
}: Omit<GroupResult, 'faults' | 'title'>): number {
  const possible = documented - exceptions
  return possible === 0 ? 100 : Math.floor((100 * (swept + elsewhere)) / possible)
}
