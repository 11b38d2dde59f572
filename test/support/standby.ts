import { startEmbeddedPostgres, type EmbeddedPostgres } from '@tollgate/tollgate'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { eventually } from './eventually.ts'

/**
 * Starts a standby of a running server, copied from it while it works. From then on the primary
 * acknowledges only commits that the standby has on its disk.
 */
export async function startStandby(
  primary: { readonly url: string; readonly folder: string },
  folder: string,
): Promise<EmbeddedPostgres> {
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('standby', true)`)
    const cluster = join(folder, 'cluster')
    mkdirSync(folder, { mode: 0o700 })
    const copied = spawnSync('cp', ['-a', join(primary.folder, 'cluster'), cluster])
    // Files that went away while they were copied are of no use to the copy either.
    if (copied.status === null) throw new Error(`cp does not run: ${copied.error?.message}`)
    const { rows } = await client.query<{ labelfile: string }>('select * from pg_backup_stop()')
    rmSync(join(cluster, 'postmaster.pid'), { force: true })
    writeFileSync(join(cluster, 'backup_label'), rows[0]?.labelfile ?? '')
    writeFileSync(join(cluster, 'standby.signal'), '')
    const { searchParams, username } = new URL(primary.url)
    const socketFolder = searchParams.get('host') ?? ''
    const standby = await startEmbeddedPostgres({
      dataDir: folder,
      settings: {
        primary_conninfo: `host='${socketFolder}' user=${username} application_name=standby`,
      },
    })
    await client.query(`alter system set synchronous_standby_names = 'standby'`)
    await client.query('select pg_reload_conf()')
    await untilSynchronous(client)
    return standby
  } finally {
    await client.end()
  }
}

async function untilSynchronous(client: pg.Client): Promise<void> {
  await eventually('the standby is part of every commit', async () => {
    const { rowCount } = await client.query(
      `select from pg_stat_replication where sync_state = 'sync'`,
    )
    return rowCount === 1
  })
}

/** Makes it a primary; resolves when it takes writes. */
export async function promote(standby: EmbeddedPostgres): Promise<void> {
  const client = new pg.Client({ connectionString: standby.url })
  await client.connect()
  await client.query('select pg_promote()')
  await client.end()
}
