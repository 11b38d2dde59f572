import { readClusterFile, type ClusterMemory } from '@tollgate/gateway'
import { loadConfig, type GatewayConfig } from '@tollgate/gateway/config'
import { openOperator, type Operator } from '@tollgate/gateway/operator'
import { readFileSync } from 'node:fs'
import type { Command } from './command.ts'
import { runningDatabaseUrl } from './running-database.ts'
import { StartupError } from './startup-error.ts'
import type { Terminal } from './terminal.ts'

type Secret = NonNullable<GatewayConfig['databaseUrl']>
type Environment = Readonly<Record<string, string | undefined>>

/** The context of an operator's command. */
export interface OperatorContext extends Terminal {
  readonly env: Environment
}

export type OperatorCommand = Command<OperatorContext>

/** Prints the errors; returns the exit code. */
export function refuse(faults: readonly string[], complain: Terminal['complain']): number {
  for (const fault of faults) complain(fault)
  complain('Nothing was changed.')
  return 1
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartupError(
      `The file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}

export function requireConfig(env: Environment) {
  const loaded = loadConfig(env)
  if (!loaded.ok) throw new StartupError(loaded.problems.join('\n'))
  return loaded.config
}

/** Lends what does an operator's work, on the database that the settings name or that runs here. */
export function withOperator<T>(
  env: Environment,
  work: (operator: Operator) => Promise<T>,
): Promise<T> {
  return withOpened(env, openOperator, work)
}

type DatabaseOptions = GatewayConfig & {
  readonly databaseUrl: Secret
  readonly cluster?: ClusterMemory
}

/** Opens something on the database that the gateways use, and closes it after the work. */
export async function withOpened<Opened extends { close(): Promise<void> }, T>(
  env: Environment,
  open: (options: DatabaseOptions) => Promise<Opened>,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  let config = requireConfig(env)
  const cluster = config.databaseUrl === null ? {} : { cluster: readClusterFile(config.dataDir) }
  if (config.databaseUrl === null) {
    const found = runningDatabaseUrl(config)
    if (found === null) {
      throw new StartupError(
        `No Tollgate is running on ${config.dataDir}. Start it first, or set DATA_DIR or ` +
          'DATABASE_URL.',
      )
    }
    config = requireConfig({ ...env, DATABASE_URL: found })
  }
  const { databaseUrl } = config
  if (databaseUrl === null) throw new StartupError('DATABASE_URL is not set.')
  let opened: Opened
  try {
    opened = await open({ ...config, databaseUrl, ...cluster })
  } catch (error) {
    throw new StartupError(
      `The database cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}
