import type { DatabaseAddress } from '@tollgate/gateway'
import { BooksUnavailableError } from '@tollgate/gateway/books'
import type { GatewayConfig } from '@tollgate/gateway/config'
import {
  AUDIT_OPERATIONS,
  exportAudit,
  formatHead,
  parseHead,
  showAudit,
  verifyAudit,
  verifyAuditFile,
  type AuditHead,
} from '@tollgate/gateway/operator-audit'
import { AuditFileError, entryLine, linesOf, parseEntryLine } from './audit-file.ts'
import { describeEntry, describeVerdict } from './audit-report.ts'
import { AGREES, DIFFERS, NOT_COMPARED, type BooksContext } from './books-command.ts'
import type { Command, TypedArguments } from './command.ts'
import { runningDatabase } from './running-database.ts'
import { StartupError } from './startup-error.ts'

const PROGRESS_EVERY_MS = 2_000
const SHOWN = 50

/**
 * The audit log. Exit codes: 0 for success, 1 for a broken log, 2 for an unreadable log or wrong
 * usage. docs/operators/audit-log.md
 */
export const audit: Command<BooksContext> = {
  name: 'audit',
  summary: 'audit verify | export | show: verify, export or read the audit log',
  failure: NOT_COMPARED,
  forms: [
    {
      words: 'verify',
      options: ['[--from <N>]', '[--head <N:hash>]...'],
      help: 'checks every hash of the log',
      run: (given, context) => orSentence(context, () => verify(given, context)),
    },
    {
      words: 'verify',
      options: ['--file <FILE>', '[--head <N:hash>]...'],
      help: 'checks an exported log',
      run: (given, context) => orSentence(context, () => verify(given, context)),
    },
    {
      words: 'export',
      options: ['[--from <N>]', '[--to <N>]', '[--since <TIME>]', '[--until <TIME>]'],
      help: 'writes entries, one line of JSON each',
      run: (given, context) => orSentence(context, () => exportEntries(given, context)),
    },
    {
      words: 'show',
      options: ['[--last <N>]', '[--operation <OPERATION>]', '[--object <OBJECT>]'],
      help: `shows the newest entries, ${SHOWN} by default`,
      run: (given, context) => orSentence(context, () => show(given, context)),
    },
  ],
  notes: 'TIME has the form 2026-11-21 or 2026-11-21T10:00:00Z; N is the number of an entry.',
}

async function orSentence(
  { complain }: BooksContext,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work()
  } catch (error) {
    const isReported =
      error instanceof StartupError ||
      error instanceof BooksUnavailableError ||
      error instanceof AuditFileError
    if (!isReported) throw error
    complain(error.message)
    return NOT_COMPARED
  }
}

async function verify(
  { option, options }: TypedArguments,
  { readConfig, write, complain: report }: BooksContext,
): Promise<number> {
  const from = readNumber('--from', option('from')) ?? 1n
  const noted = options('head').map(readHead)
  const early = noted.find(({ number }) => number + 1n < from)
  if (early !== undefined) {
    throw new StartupError(
      `--head names entry ${early.number}, which is not checked with --from ${from}.`,
    )
  }
  const file = option('file')
  let doing = ''
  const timer = setInterval(() => report(doing), PROGRESS_EVERY_MS)
  try {
    const verdict =
      file === undefined
        ? await verifyAudit(databaseOf(readConfig()), {
            from,
            noted,
            onProgress: (checked, of) => (doing = `${checked} of ${of} entries checked`),
          })
        : await verifyAuditFile(
            entriesOf(file, (count) => (doing = `${count} lines read`)),
            noted,
          )
    write(describeVerdict(verdict, { isFile: file !== undefined, noted: noted.map(formatHead) }))
    if (verdict.unrecorded !== null) report(verdict.unrecorded)
    if (verdict.fault !== null) return DIFFERS
    return verdict.unrecorded === null ? AGREES : NOT_COMPARED
  } finally {
    clearInterval(timer)
  }
}

async function exportEntries(
  { option }: TypedArguments,
  { readConfig, write, complain: report }: BooksContext,
): Promise<number> {
  const range = {
    from: readNumber('--from', option('from')),
    to: readNumber('--to', option('to')),
    since: readTime('--since', option('since')),
    until: readTime('--until', option('until')),
  }
  let count = 0
  const timer = setInterval(() => report(`${count} entries written`), PROGRESS_EVERY_MS)
  try {
    await exportAudit(databaseOf(readConfig()), {
      ...range,
      onEntry(entry) {
        count += 1
        write(`${entryLine(entry)}\n`)
      },
    })
  } finally {
    clearInterval(timer)
  }
  report(`${count} ${count === 1 ? 'entry was' : 'entries were'} written.`)
  return AGREES
}

async function show(
  { option }: TypedArguments,
  { readConfig, write, complain: report }: BooksContext,
): Promise<number> {
  const last = readNumber('--last', option('last')) ?? BigInt(SHOWN)
  if (last > 100_000n)
    throw new StartupError('--last is at most 100000; "tollgate audit export" gives all.')
  const operation = option('operation') ?? null
  if (operation !== null && !Object.hasOwn(AUDIT_OPERATIONS, operation)) {
    throw new StartupError(
      `--operation is "${operation}"; it must be one of ${Object.keys(AUDIT_OPERATIONS).join(', ')}.`,
    )
  }
  const object = option('object') ?? null
  const entries = await showAudit(databaseOf(readConfig()), {
    last: Number(last),
    operation,
    object,
  })
  for (const entry of entries) write(`${describeEntry(entry)}\n`)
  if (entries.length === 0) report('No entry matches.')
  return AGREES
}

function databaseOf(config: GatewayConfig): DatabaseAddress {
  const url = runningDatabase(config)
  if (url !== null) return url
  throw new StartupError(
    `The embedded database of ${config.dataDir} is not running. Start Tollgate first, or set ` +
      'DATA_DIR to the folder of the running one.',
  )
}

async function* entriesOf(path: string, onLine: (count: number) => void) {
  let count = 0
  try {
    for await (const line of linesOf(path)) {
      count += 1
      onLine(count)
      yield parseEntryLine(line, count)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new StartupError(`The file ${path} cannot be read (${code}).`)
  }
}

function readNumber(name: string, text: string | undefined): bigint | null {
  if (text === undefined) return null
  if (/^[1-9][0-9]{0,17}$/.test(text)) return BigInt(text)
  throw new StartupError(`${name} must be a whole number, 1 or greater.`)
}

function readHead(text: string): AuditHead {
  const head = parseHead(text)
  if (head !== null) return head
  throw new StartupError(
    '--head must be a number, a colon and 64 hexadecimal digits, as "tollgate audit verify" prints it.',
  )
}

function readTime(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  const time = new Date(text)
  if (isTime && !Number.isNaN(time.getTime())) return time
  throw new StartupError(`${name} must have the form 2026-11-21 (UTC) or 2026-11-21T10:00:00Z.`)
}
