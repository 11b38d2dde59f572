import { BankBooksError, BooksUnavailableError } from '@tollgate/gateway/books'
import type { GatewayConfig } from '@tollgate/gateway/config'
import { parseArgs } from 'node:util'
import { runningDatabaseUrl } from './running-database.ts'

/** What `verify` and `recon` are given. */
export interface BooksCommandOptions {
  readonly args: readonly string[]
  readonly config: GatewayConfig
  /** stdout: the report. */
  readonly print: (text: string) => void
  /** stderr, a line each: progress, and why there is no report. */
  readonly tell: (line: string) => void
}

/** Exit codes of both commands. */
export const AGREES = 0
export const DIFFERS = 1
export const NOT_COMPARED = 2

const PROGRESS_EVERY_MS = 2_000

export interface Progress {
  /** What is being done now. */
  set(line: string): void
}

/**
 * What the two commands share: `--json`, finding the database, progress from the second second on,
 * and a plain sentence with exit code 2 where there can be no report. `work` gives the exit code.
 */
export async function runBooksCommand(
  name: string,
  { args, config, tell }: BooksCommandOptions,
  work: (given: {
    readonly databaseUrl: string
    readonly json: boolean
    readonly progress: Progress
  }) => Promise<number>,
): Promise<number> {
  const json = readJsonOption(args)
  if (json === null) {
    tell(`"tollgate ${name}" takes the option --json and nothing else.`)
    return NOT_COMPARED
  }
  const databaseUrl = runningDatabaseUrl(config)
  if (databaseUrl === null) {
    tell(
      `The embedded database of ${config.dataDir} is not running: start Tollgate first, or set ` +
        'DATA_DIR to the folder of the one that runs.',
    )
    return NOT_COMPARED
  }
  let doing = ''
  const timer = setInterval(() => tell(doing), PROGRESS_EVERY_MS)
  try {
    return await work({ databaseUrl, json, progress: { set: (line) => (doing = line) } })
  } catch (error) {
    if (!(error instanceof BooksUnavailableError || error instanceof BankBooksError)) throw error
    tell(error.message)
    return NOT_COMPARED
  } finally {
    clearInterval(timer)
  }
}

function readJsonOption(args: readonly string[]): boolean | null {
  try {
    return (
      parseArgs({ args: [...args], options: { json: { type: 'boolean' } } }).values.json === true
    )
  } catch {
    return null
  }
}
