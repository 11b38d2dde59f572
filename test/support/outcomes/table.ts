import { table } from '../../../tools/docs/doc-page.ts'
import { percentOf, type GroupResult } from './outcome-group.ts'

/** The results as a table of Markdown, with a row for the sum. */
export function tableOf(results: readonly GroupResult[]): string {
  const sum = (pick: (result: GroupResult) => number): number =>
    results.reduce((total, result) => total + pick(result), 0)
  const total: GroupResult = {
    title: '**All**',
    documented: sum(({ documented }) => documented),
    exceptions: sum(({ exceptions }) => exceptions),
    swept: sum(({ swept }) => swept),
    elsewhere: sum(({ elsewhere }) => elsewhere),
    faults: [],
  }
  const rows = [...results, total].map((result) => {
    const { documented, elsewhere, exceptions, swept, title } = result
    const counts = [documented, exceptions, swept, elsewhere].map(String)
    return [title, ...counts, `${percentOf(result)} %`]
  })
  const head = ['Group', 'Documented', 'Exceptions', 'Swept', 'By another test', 'Produced']
  return table([head, ...rows]).trimEnd()
}
