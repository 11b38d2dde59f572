import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { StoreError } from './backup/backup-store.ts'
import { makeBaseBackup } from './backup/base-backup.ts'
import { checkBackup } from './backup/check-backup.ts'
import { describeReach, readReach } from './backup/log-reach.ts'
import { listBackups, readManifest, type Manifest } from './backup/manifest.ts'
import { openStore, type OpenedStore } from './backup/open-store.ts'
import { pruneBackups } from './backup/prune.ts'
import { SealError } from './backup/sealed-object.ts'
import { WrongUsage } from './command.ts'
import { findEmbeddedDatabase } from './embedded-postgres.ts'
import { requireConfig, type OperatorCommand, type OperatorContext } from './operator-work.ts'
import { withProgress } from './progress.ts'
import { StartupError } from './startup-error.ts'

/** Backups of the embedded database. docs/operators/backup.md */
export const backup: OperatorCommand = {
  name: 'backup',
  summary: 'backup create | list | check | prune | key: backups of the embedded database',
  forms: [
    {
      words: 'create',
      help: 'copies the running database to BACKUP_TO, encrypted, while payments continue',
      run: (_given, context) => create(context),
    },
    {
      words: 'list',
      help: 'lists the complete backups, and the time that a restore of each can reach',
      run: (_given, context) => list(context),
    },
    {
      words: 'check [<id>]',
      help: 'reads and authenticates every object of a backup, the latest by default',
      run: ({ word }, context) => check(word('id'), context),
    },
    {
      words: 'prune',
      options: ['[--keep <count>]', '[--days <days>]'],
      help: 'removes backups that neither option keeps, and log that no backup needs',
      run: ({ option }, context) =>
        prune({ count: readCount('keep', option), days: readCount('days', option) }, context),
    },
    {
      words: 'key <file>',
      help: 'makes a key for BACKUP_KEY_FILE',
      run: ({ word }, context) => makeKey(word('file'), context),
    },
  ],
}

/** Lends the store of the settings; its errors become sentences. */
export async function withStore<T>(
  env: OperatorContext['env'],
  work: (opened: OpenedStore) => Promise<T>,
): Promise<T> {
  const opened = await openStore(requireConfig(env).backup)
  try {
    return await work(opened)
  } catch (error) {
    if (error instanceof StoreError || error instanceof SealError) {
      throw new StartupError(error.message)
    }
    throw error
  } finally {
    opened.store.close()
  }
}

function create({ complain, env, print }: OperatorContext): Promise<number> {
  const { dataDir, databaseUrl } = requireConfig(env)
  if (databaseUrl !== null) {
    throw new StartupError(
      'DATABASE_URL names a PostgreSQL of your own, which this does not copy: ' +
        'docs/operators/backup.md#your-own-postgresql describes its backup.',
    )
  }
  const postgresDir = join(dataDir, 'postgres')
  const url = findEmbeddedDatabase(postgresDir)
  if (url === null) {
    throw new StartupError(`No Tollgate is running on ${dataDir}. Start it first.`)
  }
  return withStore(env, (opened) =>
    withProgress(complain, async (onProgress) => {
      const clusterDir = join(postgresDir, 'cluster')
      const made = await makeBaseBackup({ url, clusterDir, opened, onProgress })
      print(
        `Backup ${made.id} is complete: ${mebibytes(made.bytes)} in ${made.files.length} files, ` +
          `${mebibytes(made.storedBytes)} in ${opened.store.place}.`,
      )
      return 0
    }),
  )
}

function list({ complain, env, print }: OperatorContext): Promise<number> {
  return withStore(env, (opened) =>
    withProgress(complain, async (onProgress) => {
      onProgress('reading the manifests')
      const ids = await listBackups(opened)
      for (const id of ids) print(await describeBackup(opened, await readManifest(opened, id)))
      if (ids.length === 0) print(`There is no complete backup in ${opened.store.place}.`)
      return 0
    }),
  )
}

async function describeBackup(opened: OpenedStore, manifest: Manifest): Promise<string> {
  const { endedAt, id, postgresVersion, storedBytes } = manifest
  const { missing, until } = await readReach(opened, manifest)
  const end = missing === null ? '' : ` (${missing} is missing)`
  return (
    `${id}  complete ${endedAt}, log until ${until ?? 'nowhere'}${end}, ` +
    `${mebibytes(storedBytes)}, PostgreSQL ${postgresVersion}`
  )
}

function check(given: string, { complain, env, print }: OperatorContext): Promise<number> {
  return withStore(env, (opened) =>
    withProgress(complain, async (onProgress) => {
      const id = given === '' ? (await listBackups(opened)).at(-1) : given
      if (id === undefined) {
        throw new StartupError(
          `There is no complete backup in ${opened.store.place}: "tollgate backup create" makes ` +
            'one.',
        )
      }
      const manifest = await readManifest(opened, id)
      const { faults, objects, reach } = await checkBackup(opened, manifest, onProgress)
      for (const fault of faults) complain(fault)
      if (faults.length > 0) return 1
      print(
        `Backup ${id} is whole: ${objects} objects are authentic. ` +
          describeReach(manifest.endedAt, reach.until),
      )
      return 0
    }),
  )
}

function prune(
  rules: { readonly count: number | null; readonly days: number | null },
  { complain, env, print }: OperatorContext,
): Promise<number> {
  if (rules.count === null && rules.days === null) {
    throw new WrongUsage('--keep or --days is missing.')
  }
  return withStore(env, (opened) =>
    withProgress(complain, async (onProgress) => {
      const pruned = await pruneBackups(opened, rules, new Date(), onProgress)
      for (const id of pruned.backups) print(`Removed ${id}.`)
      print(
        `${pruned.backups.length} backups and ${pruned.segments} segments of the log were ` +
          `removed; ${pruned.kept.length} backups are left.`,
      )
      return 0
    }),
  )
}

function readCount(name: string, option: (name: string) => string | undefined): number | null {
  const text = option(name)
  if (text === undefined) return null
  if (/^[1-9][0-9]{0,4}$/.test(text)) return Number(text)
  throw new WrongUsage(`--${name} is "${text}"; it must be a whole number from 1 to 99999.`)
}

function makeKey(given: string, { print }: OperatorContext): number {
  const file = resolve(given)
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartupError(
      code === 'EEXIST'
        ? `The file ${file} is there already. Choose a new file name: a key that backups were ` +
            'made with must not be lost.'
        : `The file ${file} cannot be written (${code}) by the user ${userInfo().username}. ` +
            'Choose a folder of that user, and move the file to its place.',
    )
  }
  print(
    `The key is in ${file}. Set BACKUP_KEY_FILE to it, and keep a copy apart from the backups: ` +
      'without the key no backup can be read.',
  )
  return 0
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}
