import { reasonOf, type DatabaseAddress } from '@tollgate/gateway'
import {
  inspectSchema,
  migrateDatabase,
  SchemaError,
  type Migration,
  type SchemaView,
} from '@tollgate/gateway/operator-migrate'
import { requireConfig, type OperatorCommand, type OperatorContext } from './operator-work.ts'
import { runningDatabase } from './running-database.ts'
import { StartupError } from './startup-error.ts'

/** The schema of the database. docs/operators/upgrades.md */
export const migrateCommand: OperatorCommand = {
  name: 'migrate',
  summary: 'migrate status | migrate: show or apply what an upgrade changes in the database',
  forms: [
    {
      words: 'status',
      help: 'lists applied and pending migrations with their locks; exits with 1 if one is pending',
      async run(_given, { env, print, complain }) {
        const view = await sayingWhy(() => inspectSchema(databaseOf(env)))
        for (const line of describeSchema(view)) print(line)
        if (view.leftBehind !== null) complain(view.leftBehind)
        return view.leftBehind === null && view.pending.length === 0 ? 0 : 1
      },
    },
    {
      words: '',
      options: ['[--serving-role <role>]', '[--nodes-stopped]'],
      help: 'applies pending migrations, and grants roles that serve what they need',
      async run({ option, has }, { env, print, complain }) {
        const done = await sayingWhy(() =>
          migrateDatabase(databaseOf(env), {
            servingRole: option('serving-role') ?? null,
            nodesStopped: has('nodes-stopped'),
            report: print,
          }),
        )
        if (!done.ok) {
          for (const fault of done.faults) complain(fault)
          return 1
        }
        const { length } = done.ran
        print(length === 0 ? 'No migration is pending.' : `Applied migrations: ${length}.`)
        return 0
      },
    },
  ],
}

function databaseOf(env: OperatorContext['env']): DatabaseAddress {
  const address = runningDatabase(requireConfig(env))
  if (address !== null) return address
  throw new StartupError(
    'DATABASE_URL is not set, and no Tollgate runs here. The embedded database is migrated by ' +
      'each start.',
  )
}

async function sayingWhy<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SchemaError) throw new StartupError(error.message)
    // An error of the server or of the connection; others are internal, and keep their stack.
    const { code } = error as { readonly code?: unknown }
    if (typeof code !== 'string') throw error
    throw new StartupError(`The database cannot be used: ${reasonOf(error)}. Check DATABASE_URL.`)
  }
}

/** A line for each migration, with the locks of the pending ones. */
export function describeSchema({ version, known, applied, pending }: SchemaView): string[] {
  return [
    ...applied.map(({ name, at }) => `applied ${at.toISOString()}  ${name}`),
    ...pending.flatMap((migration) => [
      `pending                   ${migration.name}`,
      ...effectOf(migration),
    ]),
    '',
    `The database has ${version === 0 ? 'no schema' : `schema ${version}`}, and this program has ` +
      `${known}. Pending: ${pending.length}.`,
  ]
}

function effectOf({ header }: Migration): string[] {
  if (header === undefined) return []
  const { concurrently, locks, runsBeside } = header
  const how = concurrently === null ? '' : ', outside of a transaction'
  return [
    ...locks.map(({ duration, mode, table }) => `  locks ${table}: ${mode}, ${duration}${how}`),
    `  programs from schema ${runsBeside} on run beside it`,
  ].map((line) => ' '.repeat(26) + line)
}
