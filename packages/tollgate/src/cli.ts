#!/usr/bin/env node
import { describeFault, maskText } from '@tollgate/gateway'
import { loadConfig, readEnvironment, describeConfig } from '@tollgate/gateway/config'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { runAudit } from './audit-command.ts'
import { batches } from './batches-command.ts'
import { NOT_COMPARED, type BooksCommandOptions } from './books-command.ts'
import { cardTesting } from './card-testing-command.ts'
import { clock } from './clock-command.ts'
import { keys } from './keys-command.ts'
import { createLog } from './log.ts'
import { accounts, links, sites, type OperatorCommand } from './operator-commands.ts'
import { people } from './people-command.ts'
import { products } from './products-command.ts'
import { runQueue } from './queue-command.ts'
import { runRecon } from './recon-command.ts'
import { startTollgate, type EntryPoints } from './start.ts'
import { StartupError } from './startup-error.ts'
import { stopOnSignals } from './stop-signals.ts'
import { threeDs } from './three-ds-command.ts'
import { createUsersCommand } from './users-command.ts'
import { vault } from './vault-command.ts'
import { runVerify } from './verify-command.ts'

interface Command {
  readonly summary: string
  /** @returns the exit code. */
  readonly run: (args: readonly string[]) => Promise<number> | number
  /** The exit code when a StartupError comes; 1 where none is given. */
  readonly failure?: number
}

/** Every command, by the name it is called by. A new one is a line here. */
const COMMANDS: Readonly<Record<string, Command>> = {
  start: { summary: 'start the database, the bank and the gateway (the default)', run: start },
  config: { summary: 'print the settings in force, secrets masked', run: printConfig },
  verify: {
    summary: 'check that the database keeps all its rules; --json for programs',
    run: (args) => withBooks(args, runVerify),
    failure: NOT_COMPARED,
  },
  recon: {
    summary: "compare gateway, ledger and the bank's books; --json for programs",
    run: (args) => withBooks(args, runRecon),
    failure: NOT_COMPARED,
  },
  queue: {
    summary: 'show what has not reached the bank yet; --json for programs',
    run: (args) => withBooks(args, runQueue),
    failure: NOT_COMPARED,
  },
  audit: {
    summary: 'audit verify | export | show: check, copy or read the audit log',
    run: (args) => withBooks(args, runAudit),
    failure: NOT_COMPARED,
  },
  links: {
    summary: 'list processor links; links put <file.json> makes or changes one',
    run: operate(links),
  },
  accounts: {
    summary: 'accounts put <file.json> makes or changes a merchant account',
    run: operate(accounts),
  },
  'card-testing': {
    summary: "show or change a site's rules against card testing",
    run: operate(cardTesting),
  },
  batches: {
    summary:
      'batches list|close <MERCH_ACCT_ID> shows the batches of an account, or closes the open one',
    run: operate(batches),
  },
  products: {
    summary:
      'products <SITE_ID> lists what a site sells; add, activate, deactivate and catalogue change it',
    run: operate(products),
  },
  clock: {
    summary:
      "clock <SITE_ID> [jump|step|speed|stop|reset|agenda] shows or moves a test site's clock",
    run: operate(clock),
  },
  sites: {
    summary: 'sites set-mode|key|origins <SITE_ID> moves a site, sets its token key or its pages',
    run: operate(sites),
  },
  'three-ds': { summary: 'show or change what a site wants of 3-D Secure', run: operate(threeDs) },
  users: {
    summary: 'list API users; users add, password, allow, disable and enable change them',
    run: operate(createUsersCommand(() => text(process.stdin))),
  },
  people: {
    summary: 'list who signs in to the portal; people add, reset, disable and enable change it',
    run: operate(people),
  },
  keys: {
    summary: 'keys list|rotate|rewrap|destroy: the keys that card data is encrypted under',
    run: operate(keys),
  },
  vault: {
    summary: 'vault export|import <file> --key-file <file>: all saved cards, encrypted',
    run: operate(vault),
  },
  help: { summary: 'print this list', run: printHelp },
  version: { summary: 'print the version', run: printVersion },
}

/**
 * Where the other packages' programs are: built beside a built supervisor, sources beside sources.
 */
function entryPoints(): EntryPoints {
  const [folder, extension] = import.meta.url.endsWith('.ts') ? ['src', 'ts'] : ['dist', 'js']
  const entry = (name: string, file: string): string =>
    fileURLToPath(new URL(`../../${name}/${folder}/${file}.${extension}`, import.meta.url))
  return {
    prepare: entry('gateway', 'prepare'),
    bank: entry('bank', 'main'),
    gateway: entry('gateway', 'main'),
  }
}

/** What was typed is repeated in complaints, and people type card numbers everywhere. */
function complain(text: string): number {
  process.stderr.write(`${maskText(text)}\n`)
  return 1
}

function operate(command: OperatorCommand): Command['run'] {
  const print = (line: string): void => void process.stdout.write(`${line}\n`)
  return (args) => command(args, environment(), { print, complain })
}

async function start(): Promise<number> {
  const running = startTollgate({
    env: environment(),
    entries: entryPoints(),
    log: createLog(process.stderr),
    complain: (sentence) => void complain(sentence),
    print: (text) => process.stdout.write(text),
  })
  stopOnSignals(running)
  return running.finished
}

function environment(): Record<string, string | undefined> {
  try {
    return readEnvironment(process.cwd(), process.env)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupError(`The file .env in ${process.cwd()} cannot be read (${code}).`)
  }
}

function withBooks(
  args: readonly string[],
  run: (options: BooksCommandOptions) => Promise<number>,
): Promise<number> {
  const loaded = loadConfig(environment())
  if (!loaded.ok) throw new StartupError(loaded.problems.join('\n'))
  return run({
    args,
    config: loaded.config,
    print: (text) => process.stdout.write(text),
    tell: complain,
  })
}

function printConfig(): number {
  const loaded = loadConfig(environment())
  if (!loaded.ok) return complain(loaded.problems.join('\n'))
  for (const [name, value] of Object.entries(describeConfig(loaded.config))) {
    process.stdout.write(`${name.padEnd(20)} ${value}\n`)
  }
  for (const warning of loaded.warnings) process.stderr.write(`Warning: ${warning}\n`)
  return 0
}

function printHelp(): number {
  process.stdout.write('Usage: tollgate [command]\n\nCommands:\n')
  for (const [name, { summary }] of Object.entries(COMMANDS)) {
    process.stdout.write(`  ${name.padEnd(12)} ${summary}\n`)
  }
  process.stdout.write(
    '\nSettings come from the environment and from a .env file; see .env.example.\n',
  )
  return 0
}

function printVersion(): number {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(file) as { readonly version: string }
  process.stdout.write(`tollgate ${version}\n`)
  return 0
}

async function main(args: readonly string[]): Promise<number> {
  const [name = 'start', ...rest] = args
  const wanted =
    { '--help': 'help', '-h': 'help', '--version': 'version', '-v': 'version' }[name] ?? name
  const command = Object.hasOwn(COMMANDS, wanted) ? COMMANDS[wanted] : undefined
  if (command === undefined) {
    return complain(`There is no command "${name}"; "tollgate help" lists those there are.`)
  }
  try {
    return await command.run(rest)
  } catch (error) {
    if (error instanceof StartupError) complain(error.message)
    else complainOfFault(error)
    return command.failure ?? 1
  }
}

/** Node's own rendering would show every property of the error, such as the row of a database. */
function complainOfFault(error: unknown): void {
  const { fault, code, reason, stack = [] } = describeFault(error)
  complain([`${fault}${code === undefined ? '' : ` (${code})`}: ${reason}`, ...stack].join('\n'))
}

process.on('uncaughtException', (error: unknown) => {
  complainOfFault(error)
  process.exit(1)
})

process.exit(await main(process.argv.slice(2)))
