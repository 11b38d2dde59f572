#!/usr/bin/env node
import { describeFault, maskText } from '@tollgate/gateway'
import {
  describeConfig,
  environmentFile,
  loadConfig,
  readEnvironment,
  readEnvironmentFile,
} from '@tollgate/gateway/config'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { nearestName } from './command-forms.ts'
import { helpOf, runCommand, type Command } from './command.ts'
import { COMMANDS, type CommandContext } from './commands.ts'
import { createLog } from './log.ts'
import { startTollgate, type EntryPoints } from './start.ts'
import { StartupError } from './startup-error.ts'
import { stopOnSignals } from './stop-signals.ts'
import { unknownSettings } from './unknown-settings.ts'

/** Every command, in the sequence of `tollgate help`. */
const ALL: readonly Command<CommandContext>[] = [
  ownCommand('start', 'start the database, the bank and the gateway (the default)', start),
  ownCommand('config', 'print the settings in force, secrets masked', printConfig),
  ...COMMANDS,
  {
    name: 'help',
    summary: 'print this list; help <command> describes a command',
    forms: [
      {
        words: '[<command>]',
        help: 'lists the commands, or describes one',
        run: ({ word }) => printHelp(word('command')),
      },
    ],
  },
  ownCommand('version', 'print the version', printVersion),
]

/** A command without arguments. */
function ownCommand(
  name: string,
  summary: string,
  run: () => Promise<number> | number,
): Command<CommandContext> {
  return { name, summary, forms: [{ words: '', help: summary, run }] }
}

/**
 * The other packages' programs: built ones for a built supervisor, sources for sources.
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

/** Masked, because error messages repeat the input, which may have a card number. */
function complain(text: string): number {
  process.stderr.write(`${maskText(text)}\n`)
  return 1
}

const context: CommandContext = {
  get env() {
    return environment()
  },
  readConfig() {
    const loaded = loadConfig(environment())
    if (!loaded.ok) throw new StartupError(loaded.problems.join('\n'))
    return loaded.config
  },
  print: (line) => void process.stdout.write(`${line}\n`),
  write: (text) => void process.stdout.write(text),
  complain: (line) => void complain(line),
}

async function start(): Promise<number> {
  const env = environment()
  const log = createLog(process.stderr, env['LOG_LEVEL'])
  for (const warning of strayNames()) log.warn(warning)
  const running = startTollgate({
    env,
    entries: entryPoints(),
    log,
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
    const file = environmentFile(process.cwd(), process.env)
    throw new StartupError(`The file ${file} with the settings cannot be read (${code}).`)
  }
}

function strayNames(): readonly string[] {
  const fileNames = Object.keys(readEnvironmentFile(process.cwd(), process.env))
  return unknownSettings(fileNames, Object.keys(process.env))
}

function printConfig(): number {
  const loaded = loadConfig(environment())
  if (!loaded.ok) return complain(loaded.problems.join('\n'))
  for (const [name, value] of Object.entries(describeConfig(loaded.config))) {
    process.stdout.write(`${name.padEnd(20)} ${value}\n`)
  }
  for (const warning of [...strayNames(), ...loaded.warnings])
    process.stderr.write(`Warning: ${warning}\n`)
  return 0
}

function printHelp(name: string): number {
  if (name !== '') {
    const command = findCommand(name)
    if (command === null) return complain(unknownCommand(name))
    for (const line of helpOf(command)) context.print(line)
    return 0
  }
  context.print('Usage: tollgate [command]\n\nCommands:')
  for (const command of ALL) context.print(`  ${command.name.padEnd(12)} ${command.summary}`)
  context.print(
    '\n"tollgate <command> --help" describes a command. Settings come from the environment and from a ' +
      '.env file; see .env.example.',
  )
  return 0
}

function findCommand(name: string): Command<CommandContext> | null {
  return ALL.find((command) => command.name === name) ?? null
}

function unknownCommand(name: string): string {
  const nearest = nearestName(
    name,
    ALL.map((command) => command.name),
  )
  const meant = nearest === null ? '' : ` Did you mean "${nearest}"?`
  return `Unknown command "${name}"; "tollgate help" lists all commands.${meant}`
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
  const command = findCommand(wanted)
  if (command === null) return complain(unknownCommand(name))
  try {
    return await runCommand(command, rest, context)
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

// Node opens a debugger on SIGUSR1, and every user of the machine can connect to it.
process.on('SIGUSR1', () => undefined)

process.on('uncaughtException', (error: unknown) => {
  complainOfFault(error)
  process.exit(1)
})

process.exit(await main(process.argv.slice(2)))
