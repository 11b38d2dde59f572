import type { MeasuredMigration } from './measured-locks.ts'

/** Relative to the root of the repository. */
export const MIGRATIONS_PAGE = 'docs/operators/migrations.md'

const INTRODUCTION = [
  '`npm run schema` writes this page: it applies each migration to an empty database, and asks',
  'PostgreSQL for the locks. Tables that a migration creates are left out, because nothing uses',
  'them yet. [Upgrades](upgrades.md) describes how migrations are applied.',
].join(' ')

const BESIDE = [
  '*Beside* is the oldest schema whose programs run on after the migration. With `none`, older',
  'programs cannot restart after the migration.',
].join(' ')

const HEAD = `# Locks of migrations

${INTRODUCTION}

| Duration | What the migration does while it holds the lock |
|---|---|
| milliseconds | It changes the catalogue only. |
| changes rows | It writes some rows of the table. |
| reads the table | It reads the whole table once, as a scan or the build of an index does. |
| rewrites the table | It writes the whole table again, with its indexes. |

| Lock | What waits meanwhile |
|---|---|
| row exclusive | changes of the same rows |
| share update exclusive | vacuum, and other changes of the schema |
| share, share row exclusive | everything that writes the table |
| access exclusive | everything that uses the table |

${BESIDE}

| Migration | Locks | Beside |
|---|---|---|
`

/** The page with all migrations, the newest first. */
export function migrationsPage(measured: readonly MeasuredMigration[]): string {
  const rows = measured.map(({ locks, migration: { header, name } }) => {
    const where = header !== undefined && header.concurrently !== null ? ' (concurrently)' : ''
    const beside = header === undefined ? 'none' : String(header.runsBeside).padStart(4, '0')
    return `| \`${name}\` | ${describeLocks(locks)}${where} | ${beside} |\n`
  })
  return HEAD + rows.toReversed().join('')
}

/** Tables with the same lock and duration share a phrase. */
function describeLocks(locks: MeasuredMigration['locks']): string {
  const kinds = new Map<string, string[]>()
  for (const { duration, mode, table } of locks) {
    const kind = `${mode}, ${duration}`
    kinds.set(kind, [...(kinds.get(kind) ?? []), `\`${table}\``])
  }
  if (kinds.size === 0) return 'none'
  return [...kinds].map(([kind, tables]) => `${tables.join(', ')}: ${kind}`).join('; ')
}
