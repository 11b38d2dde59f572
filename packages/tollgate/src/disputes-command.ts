import { maskText } from '@tollgate/gateway'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { WrongUsage, type Form, type TypedArguments } from './command.ts'
import { disputeLine, noticeImportLine, ratioLines, wholeDisputeLines } from './disputes-lines.ts'
import {
  readText,
  refuse,
  withOperator,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'
import { StartupError } from './startup-error.ts'

const MOST_SHOWN = 200
const DEFAULT_MONTHS = 3

/** Disputes: cases, answers and ratios. docs/operators/disputes.md */
export const disputes: OperatorCommand = {
  name: 'disputes',
  summary: 'disputes list|show|answer|import|answers|ratios shows and answers disputes',
  forms: [
    {
      words: 'list',
      options: ['[--merchant-account <id>]', '[--group open|due|ended|reported]'],
      help: 'lists disputes, the newest first; open ones without --group',
      run: runList,
    },
    {
      words: 'show <n>',
      help: 'shows a dispute: its history, money, evidence and answers',
      run: runShow,
    },
    {
      words: 'answer <n> accept',
      help: 'accepts a dispute; its money is given up',
      run: ({ word }, context) => answer(context, word('n'), (operator, id) => operator.accept(id)),
    },
    {
      words: 'answer <n> contest',
      options: ['[--text <text>]', '[--file <path>]...'],
      help: 'contests a dispute with a text and files (PDF, PNG, JPEG, plain text)',
      run: runContest,
    },
    {
      words: 'import <file>',
      help: 'imports notices of an acquirer (tollgate-disputes): all of them, or nothing',
      run: runImport,
    },
    {
      words: 'answers',
      options: ['[--write <folder>]'],
      help: 'lists answers that wait for their acquirer; --write writes them with their files',
      run: runAnswers,
    },
    {
      words: 'ratios',
      options: ['[--months <number>]'],
      help: 'shows disputes and reports of fraud by month and brand, against the networks’ limits',
      run: runRatios,
    },
  ] satisfies Form<OperatorContext>[],
}

type Disputes = Parameters<Parameters<typeof withOperator>[1]>[0]['disputes']

async function runList(
  { option }: TypedArguments,
  { env, print }: OperatorContext,
): Promise<number> {
  const account = option('merchant-account')
  if (account !== undefined && !/^[1-9][0-9]{0,14}$/.test(account)) {
    throw new WrongUsage('--merchant-account needs the id of a merchant account.')
  }
  const group = (['open', 'due', 'ended', 'reported'] as const).find(
    (each) => each === option('group'),
  )
  const filter = {
    merchantAccountId: account === undefined ? null : BigInt(account),
    group: group ?? ('open' as const),
  }
  const listed = await withOperator(env, (operator) => operator.disputes.list(filter, MOST_SHOWN))
  for (const each of listed) print(disputeLine(each))
  if (listed.length === MOST_SHOWN) print(`Only the newest ${MOST_SHOWN} are listed.`)
  return 0
}

async function runShow(
  { word }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const id = BigInt(word('n'))
  const shown = await withOperator(env, (operator) => operator.disputes.read(id))
  if (shown === null) {
    complain(`Dispute ${id} does not exist.`)
    return 1
  }
  for (const line of wholeDisputeLines(shown)) print(line)
  return 0
}

async function runContest(
  { option, options, word }: TypedArguments,
  context: OperatorContext,
): Promise<number> {
  const files = options('file').map((path) => ({ name: basename(path), content: readBytes(path) }))
  return answer(context, word('n'), async (operator, id) => {
    for (const file of files) {
      const added = await operator.addFile(id, file)
      if (!added.ok) return added
    }
    return operator.contest(id, option('text') ?? '')
  })
}

async function answer(
  { complain, env, print }: OperatorContext,
  number: string,
  work: (operator: Disputes, id: bigint) => ReturnType<Disputes['accept']>,
): Promise<number> {
  const id = BigInt(number)
  return withOperator(env, async ({ disputes: operator }) => {
    const done = await work(operator, id)
    if (!done.ok) return refuse(done.faults, complain)
    print(`Answer ${done.answerId} to dispute ${id} is stored.`)
    return 0
  })
}

async function runImport(
  { word }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const path = word('file')
  const text = readText(path)
  const outcome = await withOperator(env, (operator) =>
    operator.disputes.importText(basename(path), text),
  )
  if (outcome.kind === 'recorded') {
    print(noticeImportLine(outcome))
    return 0
  }
  complain(`Line ${outcome.line}: ${outcome.reason}`)
  complain('Nothing was recorded.')
  return 1
}

async function runAnswers(
  { option }: TypedArguments,
  { env, print }: OperatorContext,
): Promise<number> {
  const folder = option('write')
  const answers = await withOperator(env, (operator) =>
    folder === undefined ? operator.disputes.listQueued() : operator.disputes.writeAnswers(folder),
  )
  for (const { account, answer: kind, caseId, files, id } of answers) {
    print(`answer ${id}: ${kind}, case ${caseId} of ${account}, ${files.length} files`)
  }
  if (folder !== undefined) print(`${answers.length} answers were written to ${maskText(folder)}.`)
  return 0
}

async function runRatios(
  { option }: TypedArguments,
  { env, print }: OperatorContext,
): Promise<number> {
  const months = Number(option('months') ?? DEFAULT_MONTHS)
  if (!Number.isInteger(months) || months < 1 || months > 24) {
    throw new WrongUsage('--months needs a whole number from 1 to 24.')
  }
  const ratios = await withOperator(env, (operator) => operator.disputes.ratios(months))
  for (const line of ratios.flatMap(ratioLines)) print(line)
  return ratios.some(({ standings }) => standings.some(({ warning }) => warning === 100)) ? 1 : 0
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new StartupError(
      `The file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}
