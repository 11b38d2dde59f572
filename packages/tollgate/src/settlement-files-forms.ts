import {
  importMappedFile,
  trySettlementFile,
  tryStatementFiles,
  type TriedFile,
  type TriedStatement,
} from '@tollgate/gateway/settlement-files'
import { accessSync, constants } from 'node:fs'
import { WrongUsage, type Form, type TypedArguments } from './command.ts'
import { readText, refuse, withOperator, type OperatorContext } from './operator-work.ts'
import { outcomeLines } from './settlement-lines.ts'
import { StartupError } from './startup-error.ts'

/** The forms of `tollgate settlement` that read files of acquirers and banks. */
export const settlementFileForms: readonly Form<OperatorContext>[] = [
  {
    words: 'try <mapping.json> <file>',
    options: ['[--seq <number>]'],
    help: 'shows what an import by the mapping would book; writes nothing',
    run: ({ word, option }, context) =>
      tryOut(readText(word('mapping.json')), word('file'), readSeq(option('seq')), context),
  },
  {
    words: 'import <file>',
    options: ['--mapping <mapping.json>', '[--seq <number>]', '[--sender <name>]'],
    help: 'imports an acquirer file by the mapping: all of it, or nothing',
    run: importMapped,
  },
  {
    words: 'statement try <file.xml>...',
    options: ['[--reversals standard|inverted]'],
    help: 'shows the entries of bank statements (camt.053, camt.054); writes nothing',
    run: ({ words, option }, context) =>
      tryStatements(words('file.xml'), option('reversals') === 'inverted', context),
  },
]

/** The number of a file whose rows have none. */
function readSeq(text: string | undefined): bigint | null {
  if (text === undefined) return null
  if (/^[1-9]\d{0,14}$/.test(text)) return BigInt(text)
  throw new WrongUsage(`--seq is "${text}"; expected a whole number above zero.`)
}

async function tryOut(
  mapping: string,
  path: string,
  seq: bigint | null,
  { print, complain }: OperatorContext,
): Promise<number> {
  assertReadable(path)
  const outcome = await trySettlementFile(mapping, path, seq)
  if (!outcome.ok) return refuse(outcome.faults, complain)
  for (const line of triedLines(outcome.tried)) print(line)
  return outcome.tried.faultCount === 0 ? 0 : 1
}

async function importMapped(
  { option, word }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const path = word('file')
  assertReadable(path)
  const file = {
    path,
    mapping: readText(option('mapping') ?? ''),
    seq: readSeq(option('seq')),
    sender: option('sender') ?? null,
  }
  const imported = await withOperator(env, ({ settlement }) => importMappedFile(settlement, file))
  if (!imported.ok) return refuse(imported.faults, complain)
  const { outcome } = imported
  const isDone = outcome.kind === 'booked' || outcome.kind === 'repeated'
  for (const line of outcomeLines(outcome)) (isDone ? print : complain)(line)
  return isDone ? 0 : outcome.kind === 'busy' ? 2 : 1
}

function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupError(`The file ${path} cannot be read (${code}).`)
  }
}

/** The output of `settlement try`. */
function triedLines(tried: TriedFile): string[] {
  const { checks, faultCount, faults, firstLines, kinds, sums, unmapped } = tried
  const more = faultCount - faults.length
  return [
    headline(tried),
    ...kinds.map(({ kind, count, net }) => `  ${kind}: ${rows(count)}, ${net}`),
    `  gross ${sums.gross}, fees ${sums.fees}, net ${sums.net}`,
    ...(unmapped.size === 0 ? [] : ['Values that the mapping does not have:']),
    ...[...unmapped].map(([value, count]) => `  ${JSON.stringify(value)}: ${rows(count)}`),
    'Checks:',
    ...checks.map((check) => `  ${check}`),
    `The first ${firstLines.length} lines:`,
    ...firstLines,
    ...(faultCount === 0
      ? ['The mapping reads this file. The import checks its number and opening balance too.']
      : ['The import would refuse this file:', ...faults.map((fault) => `  ${fault}`)]),
    ...(more > 0 ? [`  and ${more} more.`] : []),
  ]
}

function headline({ businessDate, currency, mapping, rows: count, seq, version, zone }: TriedFile) {
  const facts = [
    rows(count),
    currency ?? 'no currency',
    seq === null ? 'no number' : `file ${seq}`,
    businessDate === null ? 'no date' : `business date ${businessDate} (${zone})`,
  ]
  return `Mapping ${mapping} version ${version}: ${facts.join(', ')}.`
}

function rows(count: number): string {
  return `${count} ${count === 1 ? 'row' : 'rows'}`
}

async function tryStatements(
  paths: readonly string[],
  isInverted: boolean,
  { print, complain }: OperatorContext,
): Promise<number> {
  for (const path of paths) assertReadable(path)
  const outcome = await tryStatementFiles(paths, isInverted ? 'inverted' : 'standard')
  if (!outcome.ok) return refuse(outcome.faults, complain)
  for (const line of outcome.statements.flatMap(statementLines)) print(line)
  return outcome.statements.every(({ fault }) => fault === null) ? 0 : 1
}

/** The output of `settlement statement try` for one statement. */
function statementLines(statement: TriedStatement): string[] {
  const { closing, currency, entries, fault, id, isCopy, kind, last4, opening } = statement
  const balances = kind === 'statement' ? `opening ${opening}, closing ${closing}, ` : ''
  const count = `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`
  const name = kind === 'statement' ? 'Statement' : 'Notification'
  return [
    `${name} ${id}, account ending in ${last4}, ${currency}: ${balances}${count}.`,
    ...(isCopy ? ['  It is a copy of an earlier one, and moves no money.'] : []),
    ...entries.map(entryLine),
    ...(fault === null ? [] : [`  Refused: ${fault}`]),
    ...(fault === null && kind === 'statement' ? ['  The balances fit.'] : []),
    ...(kind === 'notification' ? ['  It announces entries; only a statement books them.'] : []),
  ]
}

function entryLine(entry: TriedStatement['entries'][number]): string {
  const { amount, bookedOn, code, isReversal, names, position, state, texts } = entry
  const facts = [
    `  ${position}: ${amount}`,
    bookedOn === null ? state : `${state} on ${bookedOn}`,
    ...(isReversal ? ['a reversal'] : []),
    ...(code === null ? [] : [code]),
  ]
  return [facts.join(', '), ...names, ...texts].join('; ')
}
