import { verifyAndNote, type InvariantResult, type Verification } from '@tollgate/gateway/books'
import { AGREES, booksCommand, DIFFERS } from './books-command.ts'

/** 0 when every invariant holds, 1 when one is broken, 2 when nothing was checked. */
export const verify = booksCommand(
  'verify',
  'check all invariants of the database; --json for programs',
  async ({ config, write, databaseUrl, hasOption, json, progress }) => {
    const verification = await verifyAndNote(databaseUrl, hasOption, {
      bankTimeoutMs: config.bankTimeoutMs,
      dataDir: config.dataDir,
      onStep: ({ number, of, sentence }) => progress.set(`${number} of ${of}: ${sentence}`),
    })
    const { results, sinceLast } = verification
    const holds = results.every(({ count, isWarning }) => count === 0 || isWarning)
    const report = { holds, invariants: results, ...(sinceLast === null ? {} : { sinceLast }) }
    write(json ? `${JSON.stringify(report)}\n` : describeVerification(verification))
    return holds ? AGREES : DIFFERS
  },
  {
    name: 'since-last',
    help: 'with --since-last it checks what has changed since the last good run',
  },
)

/** The results, and what a run that goes on from another one leaves to full runs. */
export function describeVerification({ results, sinceLast }: Verification): string {
  const described = describeResults(results)
  if (sinceLast === null) return described
  const { leftOut, orders, since } = sinceLast
  const checked = `${orders} ${orders === 1 ? 'order' : 'orders'}`
  return [
    `${described}Checked ${checked} that may have changed since the run of ${since.toISOString()}.`,
    'A full run finds what this one cannot see: older orders that were damaged by hand or by a',
    `disk, and breaches of ${leftOut.length} more invariants.`,
    'Run "tollgate verify" without --since-last once a week.',
    '',
  ].join('\n')
}

/** A line for each invariant, what breaks it beneath, and a sentence at the end. */
export function describeResults(results: readonly InvariantResult[]): string {
  const lines = results.flatMap((result) => [
    `${markOf(result).padEnd(8)}${String(result.count).padStart(6)}  ${result.sentence}` +
      (result.count === 0 ? '' : ` (${result.name})`),
    ...result.examples.map((example) => `${' '.repeat(16)}${describeRow(example)}`),
    ...(result.count > result.examples.length
      ? [`${' '.repeat(16)}and ${result.count - result.examples.length} more`]
      : []),
  ])
  const broken = results.filter((result) => markOf(result) === 'BROKEN').length
  const warnings = results.filter((result) => markOf(result) === 'warning').length
  const end =
    (broken === 0
      ? `All ${results.length} invariants hold`
      : `${broken} of ${results.length} invariants ${broken === 1 ? 'is' : 'are'} broken`) +
    (warnings === 0 ? '.' : `; ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`)
  return [...lines, '', end, ''].join('\n')
}

function markOf({ count, isWarning }: InvariantResult): 'ok' | 'warning' | 'BROKEN' {
  if (count === 0) return 'ok'
  return isWarning ? 'warning' : 'BROKEN'
}

function describeRow(row: InvariantResult['examples'][number]): string {
  return Object.entries(row)
    .map(([column, value]) => `${column} ${value ?? 'none'}`)
    .join(', ')
}
