import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMigrations } from '../../packages/gateway/src/adapters/postgres/connection/migration-files.ts'
import { MIGRATIONS_FOLDER } from '../../packages/gateway/src/wiring/migrations-folder.ts'
import { besideBreaches, RELEASED_SCHEMA } from './migrations.ts'

test('programs of the last release run beside every migration after it', async () => {
  assert.deepEqual(besideBreaches(await readMigrations(MIGRATIONS_FOLDER), RELEASED_SCHEMA), [])
})

test('the guard bites: a migration that leaves the released programs behind, or says nothing', () => {
  const header = { locks: [], concurrently: null }
  const migrations = [
    { number: 69, name: 'before', sql: '' },
    { number: 71, name: 'expands', sql: '', header: { ...header, runsBeside: 70 } },
    { number: 72, name: 'contracts', sql: '', header: { ...header, runsBeside: 71 } },
    { number: 73, name: 'says nothing', sql: '' },
  ]
  assert.deepEqual(
    besideBreaches(migrations, 70).map((text) => text.split(' does')[0]),
    ['contracts', 'says nothing'],
  )
})
