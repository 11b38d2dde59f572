import { BooksUnavailableError } from '@tollgate/gateway/books'
import {
  AUDIT_ACTS,
  exportAudit,
  formatHead,
  parseHead,
  showAudit,
  verifyAudit,
  verifyAuditFile,
  type AuditHead,
} from '@tollgate/gateway/operator-audit'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { AuditFileError, entryLine, parseEntryLine } from './audit-file.ts'
import { describeEntry, describeVerdict } from './audit-report.ts'
import { AGREES, DIFFERS, NOT_COMPARED, type BooksCommandOptions } from './books-command.ts'
import { runningDatabaseUrl } from './running-database.ts'
import { StartupError } from './startup-error.ts'

const USAGE = `Usage:
  tollgate audit verify [--from N] [--head N:hash]...   checks every hash of the log
  tollgate audit verify --file FILE [--head N:hash]...  checks what was exported
  tollgate audit export [--from N] [--to N] [--since TIME] [--until TIME]
  tollgate audit show [--last N] [--act ACT] [--object OBJECT]
TIME is like 2026-11-21 or 2026-11-21T10:00:00Z; N is the number of an entry.`

const PROGRESS_EVERY_MS = 2_000
const SHOWN = 50

/**
 * `tollgate audit verify | export | show`: 0 when the log is whole or was given, 1 when it is not
 * whole, 2 when it could not be read or a word of the command was wrong.
 */
export async function runAudit(options: BooksCommandOptions): Promise<number> {
  const [what, ...args] = options.args
  try {
    if (what === 'verify') return await verify({ ...options, args })
    if (what === 'export') return await exportEntries({ ...options, args })
    if (what === 'show') return await show({ ...options, args })
    throw new StartupError(USAGE)
  } catch (error) {
    const isTold =
      error instanceof StartupError ||
      error instanceof BooksUnavailableError ||
      error instanceof AuditFileError
    if (!isTold) throw error
    options.tell(error.message)
    return NOT_COMPARED
  }
}

async function verify({ args, config, print, tell }: BooksCommandOptions): Promise<number> {
  const given = readOptions(args, ['from', 'file'], ['head'])
  const from = readNumber('--from', given.one('from')) ?? 1n
  const noted = given.all('head').map(readHead)
  const early = noted.find(({ number }) => number + 1n < from)
  if (early !== undefined) {
    throw new StartupError(
      `--head names entry ${early.number}, which is not checked with --from ${from}.`,
    )
  }
  const file = given.one('file')
  if (file !== undefined && given.one('from') !== undefined) throw new StartupError(USAGE)
  let doing = ''
  const timer = setInterval(() => tell(doing), PROGRESS_EVERY_MS)
  try {
    const verdict =
      file === undefined
        ? await verifyAudit(databaseOf(config), {
            from,
            noted,
            onProgress: (checked, of) => (doing = `${checked} of ${of} entries checked`),
          })
        : await verifyAuditFile(
            entriesOf(file, (count) => (doing = `${count} lines read`)),
            noted,
          )
    print(describeVerdict(verdict, { isFile: file !== undefined, noted: noted.map(formatHead) }))
    if (verdict.unrecorded !== null) tell(verdict.unrecorded)
    if (verdict.fault !== null) return DIFFERS
    return verdict.unrecorded === null ? AGREES : NOT_COMPARED
  } finally {
    clearInterval(timer)
  }
}

async function exportEntries({ args, config, print, tell }: BooksCommandOptions): Promise<number> {
  const given = readOptions(args, ['from', 'to', 'since', 'until'])
  const range = {
    from: readNumber('--from', given.one('from')),
    to: readNumber('--to', given.one('to')),
    since: readTime('--since', given.one('since')),
    until: readTime('--until', given.one('until')),
  }
  let count = 0
  const timer = setInterval(() => tell(`${count} entries written`), PROGRESS_EVERY_MS)
  try {
    await exportAudit(databaseOf(config), {
      ...range,
      onEntry(entry) {
        count += 1
        print(`${entryLine(entry)}\n`)
      },
    })
  } finally {
    clearInterval(timer)
  }
  tell(`${count} ${count === 1 ? 'entry was' : 'entries were'} written.`)
  return AGREES
}

async function show({ args, config, print, tell }: BooksCommandOptions): Promise<number> {
  const given = readOptions(args, ['last', 'act', 'object'])
  const last = readNumber('--last', given.one('last')) ?? BigInt(SHOWN)
  if (last > 100_000n)
    throw new StartupError('--last is at most 100000; "tollgate audit export" gives all.')
  const act = given.one('act') ?? null
  if (act !== null && !Object.hasOwn(AUDIT_ACTS, act)) {
    throw new StartupError(`--act is "${act}"; the acts are ${Object.keys(AUDIT_ACTS).join(', ')}.`)
  }
  const object = given.one('object') ?? null
  const entries = await showAudit(databaseOf(config), { last: Number(last), act, object })
  for (const entry of entries) print(`${describeEntry(entry)}\n`)
  if (entries.length === 0) tell('No entry fits.')
  return AGREES
}

function databaseOf(config: BooksCommandOptions['config']): string {
  const url = runningDatabaseUrl(config)
  if (url !== null) return url
  throw new StartupError(
    `The embedded database of ${config.dataDir} is not running: start Tollgate first, or set ` +
      'DATA_DIR to the folder of the one that runs.',
  )
}

async function* entriesOf(path: string, onLine: (count: number) => void) {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity })
  let count = 0
  try {
    for await (const line of lines) {
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

/** Reads `--name value` options; some once, some several times. Anything else is wrong usage. */
function readOptions(
  args: readonly string[],
  once: readonly string[],
  often: readonly string[] = [],
) {
  const options = Object.fromEntries(
    [...once, ...often].map((name) => [name, { type: 'string', multiple: true } as const]),
  )
  let values: Readonly<Record<string, string[] | undefined>>
  try {
    values = parseArgs({ args: [...args], options }).values
  } catch {
    throw new StartupError(USAGE)
  }
  if (once.some((name) => (values[name]?.length ?? 0) > 1)) throw new StartupError(USAGE)
  return {
    one: (name: string): string | undefined => values[name]?.[0],
    all: (name: string): readonly string[] => values[name] ?? [],
  }
}

function readNumber(name: string, text: string | undefined): bigint | null {
  if (text === undefined) return null
  if (/^[1-9][0-9]{0,17}$/.test(text)) return BigInt(text)
  throw new StartupError(`${name} must be a whole number from 1 on.`)
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
  throw new StartupError(`${name} must be like 2026-11-21 (UTC) or 2026-11-21T10:00:00Z.`)
}
