import type { DatabaseAddress } from '@tollgate/gateway'
import { BankBooksError, BooksUnavailableError } from '@tollgate/gateway/books'
import type { GatewayConfig } from '@tollgate/gateway/config'
import type { Command } from './command.ts'
import { runningDatabase } from './running-database.ts'
import type { Terminal } from './terminal.ts'

/** The context of commands that read the books. */
export interface BooksContext extends Terminal {
  /** Throws StartupError for invalid settings. */
  readonly readConfig: () => GatewayConfig
  /** stdout, as it stands: the report. */
  readonly write: (text: string) => void
}

/** Exit codes of both commands. */
export const AGREES = 0
export const DIFFERS = 1
export const NOT_COMPARED = 2

const PROGRESS_EVERY_MS = 2_000

export interface Progress {
  /** Sets the current step. */
  set(line: string): void
}

/** The arguments of such a command's work. */
export interface BooksWork extends BooksContext {
  readonly config: GatewayConfig
  readonly databaseUrl: DatabaseAddress
  readonly json: boolean
  /** Whether the command's own option was given. */
  readonly hasOption: boolean
  readonly progress: Progress
}

/**
 * The common part of `verify`, `recon` and `queue`: `--json`, finding the database, and progress
 * from second 2 on. `option` is one of its own, and what it does. Without a report it prints the
 * reason and exits with 2. `work` returns the exit code.
 */
export function booksCommand(
  name: string,
  summary: string,
  work: (given: BooksWork) => Promise<number>,
  option: { readonly name: string; readonly help: string } | null = null,
): Command<BooksContext> {
  const own = option === null ? [] : [`[--${option.name}]`]
  const accepted = option === null ? 'option --json' : `options --json and --${option.name}`
  const more = option === null ? '' : `; ${option.help}`
  return {
    name,
    summary,
    forms: [
      {
        words: '',
        options: ['[--json]', ...own],
        help: `prints the report as text, or as JSON with --json${more}`,
        run: ({ has }, context) =>
          withBooks(context, has('json'), option !== null && has(option.name), work),
      },
    ],
    refusal: `"tollgate ${name}" accepts only the ${accepted}.`,
    failure: NOT_COMPARED,
  }
}

async function withBooks(
  context: BooksContext,
  json: boolean,
  hasOption: boolean,
  work: (given: BooksWork) => Promise<number>,
): Promise<number> {
  const report = context.complain
  const config = context.readConfig()
  const databaseUrl = runningDatabase(config)
  if (databaseUrl === null) {
    report(
      `The embedded database of ${config.dataDir} is not running. Start Tollgate first, or set ` +
        'DATA_DIR to the folder of the running one.',
    )
    return NOT_COMPARED
  }
  let doing = ''
  const timer = setInterval(() => report(doing), PROGRESS_EVERY_MS)
  try {
    const progress = { set: (line: string): void => void (doing = line) }
    return await work({ ...context, config, databaseUrl, json, hasOption, progress })
  } catch (error) {
    if (!(error instanceof BooksUnavailableError || error instanceof BankBooksError)) throw error
    report(error.message)
    return NOT_COMPARED
  } finally {
    clearInterval(timer)
  }
}
