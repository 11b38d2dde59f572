import { STATEMENT_FAULTS } from '@tollgate/gateway/operator'
import { accessSync, constants } from 'node:fs'
import type { Form, TypedArguments } from './command.ts'
import {
  accountLine,
  entryLines,
  importLines,
  payerLine,
  statementLines,
} from './deposits-lines.ts'
import {
  refuse,
  withOperator,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'
import { withProgress } from './progress.ts'
import { StartupError } from './startup-error.ts'

const MOST_SHOWN = 50
/** Exit codes of `import`. */
const IMPORTED = 0
const REFUSED = 1
const BUSY = 2

/** Bank statements, and the payouts that they show. */
export const deposits: OperatorCommand = {
  name: 'deposits',
  summary: 'deposits account|payer|import|list|show|match finds payouts in bank statements',
  forms: [
    {
      words: 'account <merchant> <IBAN>',
      options: ['--currency <EUR>', '--since <2026-11-19>', '[--reversals as_given|inverted]'],
      help: 'registers a bank account of a merchant; only a hash and four characters are stored',
      run: runAccount,
    },
    {
      words: 'payer <MERCH_ACCT_ID>',
      options: ['--currency <EUR>', '[--name <name>]', '[--reference <pattern>]'],
      help: 'sets how deposits of the acquirer look: its name, or a pattern of its references',
      run: runPayer,
    },
    {
      words: 'accounts',
      help: 'lists bank accounts with their last balance, and how deposits look',
      run: runAccounts,
    },
    {
      words: 'import <file.xml>...',
      options: ['[--accept-gap]'],
      help: 'imports bank statements (camt.053), with all their pages: all of them, or nothing',
      run: runImport,
    },
    {
      words: 'list',
      help: 'lists the newest bank statements',
      async run(_given, { env, print }) {
        const found = await withOperator(env, ({ deposits: each }) =>
          each.listStatements(MOST_SHOWN),
        )
        for (const line of found.flatMap(statementLines)) print(line)
        return 0
      },
    },
    {
      words: 'show <n>',
      help: 'shows a bank statement with the entries of acquirers and their payouts',
      run: runShow,
    },
    {
      words: 'match <entry> <payout>',
      help: 'matches an entry without a payout with the payout that you choose',
      run: runMatch,
    },
  ] satisfies Form<OperatorContext>[],
}

async function runAccount(
  { option, word }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const request = {
    merchantId: BigInt(word('merchant')),
    number: word('IBAN'),
    currency: option('currency') ?? '',
    reversals: option('reversals') === 'inverted' ? ('inverted' as const) : ('as_given' as const),
    since: option('since') ?? '',
  }
  const put = await withOperator(env, (operator) => operator.deposits.putAccount(request))
  if (!put.ok) return refuse(put.faults, complain)
  const { currency, merchantId } = request
  print(`The bank account ending in ${put.last4} in ${currency} belongs to merchant ${merchantId}.`)
  return 0
}

async function runPayer(
  { option, word }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const request = {
    accountId: BigInt(word('MERCH_ACCT_ID')),
    currency: option('currency') ?? '',
    payerName: option('name') ?? '',
    referencePattern: option('reference') ?? '',
  }
  const put = await withOperator(env, (operator) => operator.deposits.putPayer(request))
  if (!put.ok) return refuse(put.faults, complain)
  print(payerLine({ ...request, merchantAccountId: request.accountId }))
  return 0
}

async function runAccounts(
  _given: TypedArguments,
  { env, print }: OperatorContext,
): Promise<number> {
  const { accounts, payers } = await withOperator(env, (operator) =>
    operator.deposits.listAccounts(),
  )
  for (const each of accounts) print(accountLine(each))
  for (const each of payers) print(payerLine(each))
  return 0
}

async function runImport(
  { has, words }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const paths = words('file.xml')
  for (const path of paths) assertReadable(path)
  const outcome = await withProgress(complain, (onProgress) =>
    withOperator(env, (operator) =>
      operator.deposits.importPaths(paths, has('accept-gap'), onProgress),
    ),
  )
  if (outcome.kind === 'imported') {
    for (const line of importLines(outcome)) print(line)
    return IMPORTED
  }
  if (outcome.kind === 'busy') {
    complain('Another process imports statements of this merchant now. Try again afterwards.')
    return BUSY
  }
  for (const reason of outcome.reasons) complain(reason)
  complain(`Refused (${outcome.code}): ${STATEMENT_FAULTS[outcome.code]}.`)
  complain('Nothing of the files was booked.')
  return REFUSED
}

function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupError(`The file ${path} cannot be read (${code}).`)
  }
}

async function runShow(
  { word }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const id = BigInt(word('n'))
  const shown = await withOperator(env, (operator) => operator.deposits.readStatement(id))
  if (shown === null) {
    complain(`Bank statement ${id} does not exist.`)
    return 1
  }
  const { entries, statement } = shown
  for (const line of statementLines(statement)) print(line)
  for (const line of entries.flatMap((entry) => entryLines(entry, statement.currency))) print(line)
  return 0
}

async function runMatch(
  { word }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const [entry, payout] = [BigInt(word('entry')), BigInt(word('payout'))]
  const done = await withOperator(env, (operator) => operator.deposits.match(entry, payout))
  if (!done.ok) return refuse(done.faults, complain)
  print(`Entry ${entry} is the deposit of payout ${payout}.`)
  for (const [code, count] of done.counts.differences) print(`  difference ${code}: ${count}`)
  return 0
}
