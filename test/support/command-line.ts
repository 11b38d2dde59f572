import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommandLine } from '../../packages/tollgate/src/command-line.ts'
import type { RunningGateway } from './running-gateway.ts'

/** The output of a command, standard output and standard error together, and its exit code. */
export interface Ran {
  readonly code: number
  readonly output: string
}

/**
 * Runs a command line in this process, as `tollgate` runs it in one of its own. The start of a
 * program computes a second, twenty times as long as most commands.
 * @param env all settings; those of this process are not among them
 * @param folder the one whose `.env` is read; one without a `.env` when none is named
 */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  folder: string = join(tmpdir(), 'no-folder'),
): Promise<Ran> {
  let output = ''
  const hear = (text: string): void => void (output += text)
  const code = await runCommandLine(args, { folder, env, out: hear, err: hear })
  return { code, output }
}

/** The settings with which an operator's command finds the database and keys of a test's gateway. */
export function operatorSettings(
  { databaseUrl, vaultKey }: RunningGateway,
  dataDir: string,
): Record<string, string> {
  return { DATABASE_URL: databaseUrl, VAULT_KEY: vaultKey.reveal(), DATA_DIR: dataDir }
}
