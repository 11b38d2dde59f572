import type { Operator } from '@tollgate/gateway/operator'
import type { Form, TypedArguments } from './command.ts'
import {
  refuse,
  withOperator,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'
import { differenceForms } from './settlement-differences.ts'
import { settlementFileForms } from './settlement-files-forms.ts'
import { fileLines, outcomeLines, payoutLines, totalsLines } from './settlement-lines.ts'

const MOST_SHOWN = 50
/** Exit codes of `import`. */
const IMPORTED = 0
const REFUSED = 1
const BUSY = 2
const PROGRESS_EVERY = 100_000

/** Settlement files of acquirers. */
export const settlement: OperatorCommand = {
  name: 'settlement',
  summary:
    'settlement source|try|import|statement|list|show|recon|differences imports settlement files',
  forms: [
    {
      words: 'source <MERCH_ACCT_ID>',
      options: [
        '--currency <EUR>',
        '--sender <name>',
        '--receiver <name>',
        '--account <name>',
        '--since <2026-11-19>',
        '--fx-band <basis points>',
      ],
      help: 'sets what the settlement files of a merchant account say of themselves',
      run: runSource,
    },
    {
      words: 'import <file>',
      help: 'imports a settlement file: all of it, or nothing',
      run: runImport,
    },
    {
      words: 'list',
      help: 'lists the newest settlement files',
      async run(_given, { env, print }) {
        const files = await withOperator(env, ({ settlement: each }) => each.listFiles(MOST_SHOWN))
        for (const line of files.flatMap(fileLines)) print(line)
        return 0
      },
    },
    {
      words: 'show <n>',
      help: 'shows a settlement file: its sums by kind, its payouts and its differences',
      run: runShow,
    },
    {
      words: 'recon',
      help: 'shows what the files settle of all closed batches; exits with 1 if anything differs',
      async run(_given, { env, print }) {
        const totals = await withOperator(env, ({ settlement: each }) => each.readTotals())
        for (const line of totals.flatMap(totalsLines)) print(line)
        return totals.some(({ differing }) => differing.count > 0) ? 1 : 0
      },
    },
    ...settlementFileForms,
    ...differenceForms,
  ] satisfies Form<OperatorContext>[],
}

async function runSource(
  { option, word }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const request = {
    accountId: BigInt(word('MERCH_ACCT_ID')),
    currency: option('currency') ?? '',
    sender: option('sender') ?? '',
    receiver: option('receiver') ?? '',
    account: option('account') ?? '',
    since: option('since') ?? '',
    fxBandBasisPoints: Number(option('fx-band')),
  }
  const put = await withOperator(env, (operator) => operator.settlement.putSource(request))
  if (!put.ok) return refuse(put.faults, complain)
  const { account, accountId, currency, sender } = request
  print(`Files of ${sender} for ${account} in ${currency} settle merchant account ${accountId}.`)
  return 0
}

async function runImport(
  { word }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const path = word('file')
  const work = (operator: Operator) =>
    operator.settlement.importPath(path, (staged, of) => {
      if (staged % PROGRESS_EVERY === 0) complain(`${staged} of ${of} lines stored`)
    })
  const outcome = await withOperator(env, work)
  if (outcome.kind === 'booked' || outcome.kind === 'repeated') {
    for (const line of outcomeLines(outcome)) print(line)
    return IMPORTED
  }
  for (const line of outcomeLines(outcome)) complain(line)
  return outcome.kind === 'busy' ? BUSY : REFUSED
}

async function runShow(
  { word }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const id = BigInt(word('n'))
  const shown = await withOperator(env, (operator) => operator.settlement.readFile(id))
  if (shown === null) {
    complain(`Settlement file ${id} does not exist.`)
    return 1
  }
  for (const line of fileLines(shown.file)) print(line)
  for (const line of shown.payouts.flatMap(payoutLines)) print(line)
  for (const [code, count] of shown.differences) print(`  difference ${code}: ${count}`)
  return 0
}
