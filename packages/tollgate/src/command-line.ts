import { describeFault, maskText } from '@tollgate/gateway'
import {
  describeConfig,
  environmentFile,
  loadConfig,
  readEnvironment,
  readEnvironmentFile,
} from '@tollgate/gateway/config'
import { fileURLToPath } from 'node:url'
import { nearestName } from './command-forms.ts'
import { helpOf, runCommand, type Command } from './command.ts'
import { COMMANDS, type CommandContext } from './commands.ts'
import { createLog } from './log.ts'
import { takeOperator } from './operator-name.ts'
import { startTollgate, type EntryPoints } from './start.ts'
import { StartupError } from './startup-error.ts'
import { stopOnSignals } from './stop-signals.ts'
import { unknownSettings } from './unknown-settings.ts'
import { readVersion } from './version.ts'

/** The surroundings of a command line: those of a process, or of a test. */
export interface Surroundings {
  /** The folder whose `.env` holds settings. */
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Standard output and standard error. Both take text as it stands. */
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** The context of the commands of this file too. */
interface Context extends CommandContext {
  readonly around: Surroundings
}

/** Every command, in the sequence of `tollgate help`. */
const ALL: readonly Command<Context>[] = [
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
        run: ({ word }, context) => printHelp(word('command'), context),
      },
    ],
  },
  ownCommand('version', 'print the version', printVersion),
]

/** Runs the command that the arguments name; `start` without any. @returns the exit code */
export async function runCommandLine(
  args: readonly string[],
  around: Surroundings,
): Promise<number> {
  const context = contextOf(around)
  const [name = 'start', ...rest] = args
  const wanted =
    { '--help': 'help', '-h': 'help', '--version': 'version', '-v': 'version' }[name] ?? name
  const command = findCommand(wanted)
  if (command === null) return refuse(unknownCommand(name), context)
  try {
    return await runCommand(
      command,
      takeOperator(rest, () => context.env),
      context,
    )
  } catch (error) {
    context.complain(error instanceof StartupError ? error.message : faultText(error))
    return command.failure ?? 1
  }
}

/** Node's own rendering would show every property of the error, such as the row of a database. */
export function faultText(error: unknown): string {
  const { fault, code, reason, stack = [] } = describeFault(error)
  return [`${fault}${code === undefined ? '' : ` (${code})`}: ${reason}`, ...stack].join('\n')
}

/** A command without arguments. */
function ownCommand(
  name: string,
  summary: string,
  run: (context: Context) => Promise<number> | number,
): Command<Context> {
  return {
    name,
    summary,
    forms: [{ words: '', help: summary, run: (_, context) => run(context) }],
  }
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
    vault: entry('gateway', 'vault-main'),
  }
}

function contextOf(around: Surroundings): Context {
  return {
    around,
    get env() {
      return readSettings(around)
    },
    readConfig() {
      const loaded = loadConfig(readSettings(around))
      if (!loaded.ok) throw new StartupError(loaded.problems.join('\n'))
      return loaded.config
    },
    print: (line) => around.out(`${line}\n`),
    write: around.out,
    // Masked, because error messages repeat the input, which may have a card number.
    complain: (line) => around.err(`${maskText(line)}\n`),
  }
}

function refuse(sentence: string, { complain }: Context): number {
  complain(sentence)
  return 1
}

async function start({ env, write, complain, around }: Context): Promise<number> {
  const log = createLog(process.stderr, env['LOG_LEVEL'])
  for (const warning of strayNames(around)) log.warn(warning)
  const running = startTollgate({ env, entries: entryPoints(), log, complain, print: write })
  stopOnSignals(running)
  return running.finished
}

function readSettings({ folder, env }: Surroundings): Record<string, string | undefined> {
  try {
    return readEnvironment(folder, env)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const file = environmentFile(folder, env)
    throw new StartupError(`The file ${file} with the settings cannot be read (${code}).`)
  }
}

function strayNames({ folder, env }: Surroundings): readonly string[] {
  return unknownSettings(Object.keys(readEnvironmentFile(folder, env)), Object.keys(env))
}

function printConfig(context: Context): number {
  const loaded = loadConfig(context.env)
  if (!loaded.ok) return refuse(loaded.problems.join('\n'), context)
  for (const [name, value] of Object.entries(describeConfig(loaded.config))) {
    context.print(`${name.padEnd(20)} ${value}`)
  }
  for (const warning of [...strayNames(context.around), ...loaded.warnings]) {
    context.around.err(`Warning: ${warning}\n`)
  }
  return 0
}

function printHelp(name: string, context: Context): number {
  if (name !== '') {
    const command = findCommand(name)
    if (command === null) return refuse(unknownCommand(name), context)
    for (const line of helpOf(command)) context.print(line)
    return 0
  }
  context.print('Usage: tollgate [command]\n\nCommands:')
  for (const command of ALL) context.print(`  ${command.name.padEnd(12)} ${command.summary}`)
  context.print(
    '\n"tollgate <command> --help" describes a command. --operator NAME, or TOLLGATE_OPERATOR, ' +
      'states who runs it; by default the system user. Settings come from the environment and ' +
      'from a .env file; see .env.example.',
  )
  return 0
}

function findCommand(name: string): Command<Context> | null {
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

function printVersion({ print }: Context): number {
  print(`tollgate ${readVersion()}`)
  return 0
}
