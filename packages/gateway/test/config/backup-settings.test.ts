import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { suite, test } from 'node:test'
import { describeConfig, loadConfig, type GatewayConfig } from '../../src/config/config.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const VAULT_KEY = Buffer.alloc(32, 8).toString('base64')

function load(env: Readonly<Record<string, string>>): GatewayConfig {
  const loaded = loadConfig({ VAULT_KEY, ...env })
  return loaded.ok ? loaded.config : assert.fail(loaded.problems.join('\n'))
}

function problemsOf(env: Readonly<Record<string, string>>): string {
  const loaded = loadConfig({ VAULT_KEY, ...env })
  return loaded.ok ? '' : loaded.problems.join('\n')
}

suite('the settings of backups', () => {
  test('name a folder, or a bucket with the place in it, and show no secret', () => {
    assert.equal(load({}).backup, null)
    const folder = load({ BACKUP_TO: 'backups', BACKUP_KEY: KEY }).backup
    assert.deepEqual(folder?.place, {
      kind: 'folder',
      name: resolve('backups'),
      folder: resolve('backups'),
    })
    const config = load({
      BACKUP_TO: 's3://shop-backups/tollgate/node-1/',
      BACKUP_KEY: KEY,
      BACKUP_S3_ENDPOINT: 'https://s3.example.com',
      BACKUP_S3_ACCESS_KEY: 'an-id',
      BACKUP_S3_SECRET_KEY: 'a-secret',
    })
    const place = config.backup?.place
    assert.ok(place?.kind === 's3')
    const { bucket, endpoint, prefix, region } = place
    assert.deepEqual(
      [bucket, prefix, endpoint, region],
      ['shop-backups', 'tollgate/node-1', 'https://s3.example.com', 'us-east-1'],
    )
    const shown = JSON.stringify(describeConfig(config))
    assert.ok(shown.includes('s3://shop-backups/tollgate/node-1/'))
    for (const secret of [KEY, 'a-secret']) assert.ok(!shown.includes(secret))
  })

  test('are refused without a key, with the key of cards, with half a login, and for a place of no known kind', () => {
    assert.match(problemsOf({ BACKUP_TO: 'backups' }), /BACKUP_KEY_FILE must give the key/)
    assert.match(
      problemsOf({ BACKUP_TO: 'backups', BACKUP_KEY: VAULT_KEY }),
      /BACKUP_KEY is the key that card data is encrypted under, but backups need a key of their own/,
    )
    const half = { BACKUP_TO: 's3://shop-backups', BACKUP_KEY: KEY, BACKUP_S3_ACCESS_KEY: 'an-id' }
    assert.match(problemsOf(half), /BACKUP_S3_SECRET_KEY belong together/)
    assert.match(
      problemsOf({ BACKUP_TO: 'ftp://host/x', BACKUP_KEY: KEY }),
      /must be a folder, or a/,
    )
    assert.match(problemsOf({ BACKUP_KEY: 'short' }), /its value is kept secret/)
  })

  test('beside a PostgreSQL of your own are reported by a warning, because they save nothing there', () => {
    const loaded = loadConfig({
      VAULT_KEY,
      BACKUP_TO: 'backups',
      BACKUP_KEY: KEY,
      DATABASE_URL: 'postgresql://tollgate@127.0.0.1/tollgate',
    })
    assert.ok(loaded.ok)
    assert.match(loaded.warnings.join('\n'), /BACKUP_TO saves the embedded PostgreSQL only/)
  })
})
