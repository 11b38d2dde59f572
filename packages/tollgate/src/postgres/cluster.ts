import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartupError } from '../startup-error.ts'
import { postgresEnvironment, type PostgresBinaries } from './binaries.ts'
import { endOf, tail } from './child-end.ts'
import { commandAs, type RunAs } from './run-as.ts'
import { initdbArgs } from './settings.ts'

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Runs initdb beside the final place and moves the result there, so that half a cluster never is.
 */
export async function createCluster(
  dataDir: string,
  clusterDir: string,
  binaries: PostgresBinaries,
  runAs: RunAs,
  user: string,
  moreArgs: readonly string[] = [],
): Promise<void> {
  const draft = `${clusterDir}.new-${randomBytes(4).toString('hex')}`
  const args = [...initdbArgs(draft, user, binaries.major), ...moreArgs]
  const command = commandAs(runAs, join(binaries.binDir, 'initdb'), args)
  const child = spawn(command.program, command.args, {
    ...command.identity,
    cwd: '/',
    detached: true,
    env: postgresEnvironment(binaries.libraryPath),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = await endOf(child)
  if (ended !== 'exit code 0') {
    rmSync(draft, { recursive: true, force: true })
    throw new StartupError(
      `initdb could not make the database cluster in ${dataDir} (${ended}). It ` +
        `said:\n${tail(said)}`,
    )
  }
  renameSync(draft, clusterDir)
  syncFolder(dataDir)
}

/** Leftovers of an initdb that was cut off. */
export function removeDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith('cluster.new-'))
      rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}

/** @throws StartupError when the cluster needs another major version of the programs. */
export function checkVersion(clusterDir: string, binaries: PostgresBinaries): void {
  const version = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim()
  if (version === String(binaries.major)) return
  throw new StartupError(
    `The cluster in ${clusterDir} is of PostgreSQL ${version}, but this program has ` +
      `PostgreSQL ${binaries.major}. Move the data with pg_dump and psql. ` +
      'Or set DATABASE_URL to ' +
      `a PostgreSQL ${version} that uses it.`,
  )
}
