import { verifyBooks, type InvariantResult } from '@tollgate/gateway/books'
import { AGREES, booksCommand, DIFFERS } from './books-command.ts'

/** 0 when every invariant holds, 1 when one is broken, 2 when nothing was checked. */
export const verify = booksCommand(
  'verify',
  'check all invariants of the database; --json for programs',
  async ({ config, write, databaseUrl, json, progress }) => {
    const results = await verifyBooks(databaseUrl, {
      bankTimeoutMs: config.bankTimeoutMs,
      dataDir: config.dataDir,
      onStep: ({ number, of, sentence }) => progress.set(`${number} of ${of}: ${sentence}`),
    })
    const holds = results.every(({ count, isWarning }) => count === 0 || isWarning)
    write(json ? `${JSON.stringify({ holds, invariants: results })}\n` : describeResults(results))
    return holds ? AGREES : DIFFERS
  },
)

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
