import { readFileSync } from 'node:fs'
import { GROUPS } from '../../test/support/outcomes/groups.ts'
import {
  judgeGroup,
  type GroupResult,
  type OutcomeGroup,
} from '../../test/support/outcomes/outcome-group.ts'
import { tableOf } from '../../test/support/outcomes/table.ts'
import { table, withTables } from './doc-page.ts'

/** Relative to the root of the repository. */
export const OUTCOMES_PAGE = 'docs/integrators/sandbox-outcomes.md'

const ALL: readonly OutcomeGroup[] = Object.values<OutcomeGroup>(GROUPS)

/** The result of a sweep that passes: it has seen all that stands in no list. */
function passing(group: OutcomeGroup): GroupResult {
  const { documented, elsewhere = {}, exceptions = {} } = group
  const listed = new Set([elsewhere, exceptions].flatMap((list) => Object.keys(list)))
  return judgeGroup(group, new Set(documented.filter((outcome) => !listed.has(outcome))))
}

/** Rows with group, outcomes and one text, where outcomes with the same text share a row. */
function reasonRows(pick: (group: OutcomeGroup) => Readonly<Record<string, string>>): string[][] {
  return ALL.flatMap((group) => {
    const outcomes = new Map<string, string[]>()
    for (const [outcome, text] of Object.entries(pick(group))) {
      outcomes.set(text, [...(outcomes.get(text) ?? []), `\`${outcome}\``])
    }
    return [...outcomes].map(([text, names]) => [group.title, names.join(', '), text])
  })
}

function testsOf({ elsewhere = {} }: OutcomeGroup): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(elsewhere).map(([outcome, { file }]) => [outcome, `\`${file}\``]),
  )
}

/** The page with its tables written from the groups; the rest of its text stays. */
export function outcomesPage(): string {
  const page = readFileSync(new URL(`../../${OUTCOMES_PAGE}`, import.meta.url), 'utf8')
  return withTables(page, {
    outcomes: () => tableOf(ALL.map(passing)),
    exceptions: () =>
      table([['Group', 'Outcomes', 'Reason'], ...reasonRows(({ exceptions = {} }) => exceptions)]),
    elsewhere: () => table([['Group', 'Outcomes', 'Test'], ...reasonRows(testsOf)]),
  })
}
