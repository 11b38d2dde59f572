import assert from 'node:assert/strict'
import { chownSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import pg from 'pg'
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from '../src/embedded-postgres.ts'
import { isAlive, processesInside, waitUntil } from '../src/running-process.ts'
import { StartupError } from '../src/startup-error.ts'
import { layCluster } from './cluster-template.ts'
import { canBecomeNobody, leftBehind, NOBODY, runProgram, temporaryFolder } from './program.ts'

const isRoot = process.getuid?.() === 0
const needsRoot = { skip: isRoot ? false : 'needs root, to become another user' }
const needsNobody = { skip: canBecomeNobody() }

async function startIn(
  t: TestContext,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(options)
  t.after(() => server.stop())
  return server
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

async function show(url: string, name: string): Promise<unknown> {
  return (await ask(url, `select current_setting('${name}') as value`))[0]?.['value']
}

// Tests with another subject than the creation of a cluster copy that of the run.
suite('the embedded PostgreSQL', () => {
  test('the embedded PostgreSQL keeps committed data over a stop and a second start', async (t) => {
    const dataDir = join(temporaryFolder(t), 'data', 'postgres')
    const first = await startEmbeddedPostgres({ dataDir })
    await ask(first.url, 'create table kept as select 7 as seven')
    await first.stop()
    assert.deepEqual(processesInside(join(dataDir, 'cluster')), [])
    const second = await startIn(t, { dataDir })
    assert.deepEqual(await ask(second.url, 'select seven from kept'), [{ seven: 7 }])
  })

  test('the embedded PostgreSQL gives up nothing of what keeps data safe, and opens no port', async (t) => {
    const { url } = await startIn(t, { dataDir: join(temporaryFolder(t), 'postgres') })
    const expected = {
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      data_checksums: 'on',
      listen_addresses: '',
      TimeZone: 'UTC',
      server_encoding: 'UTF8',
      log_parameter_max_length: '0',
      log_min_error_statement: 'panic',
    }
    for (const [name, value] of Object.entries(expected))
      assert.equal(await show(url, name), value, name)
    const locale = await ask(
      url,
      'select datlocprovider, datlocale from pg_database where datname = current_database()',
    )
    assert.deepEqual(locale, [{ datlocprovider: 'b', datlocale: 'C.UTF-8' }])
  })

  test('the embedded PostgreSQL keeps its data, its socket and its log to the user that runs it', async (t) => {
    const dataDir = join(temporaryFolder(t), 'postgres')
    const { socketDir } = await startIn(t, { dataDir })
    for (const folder of [dataDir, join(dataDir, 'cluster'), socketDir]) {
      assert.equal(statSync(folder).mode & 0o777, 0o700, folder)
    }
    assert.equal(statSync(join(dataDir, 'server.log')).mode & 0o077, 0)
  })

  test('the embedded PostgreSQL takes settings that differ', async (t) => {
    const dataDir = join(temporaryFolder(t), 'postgres')
    layCluster(dataDir)
    const { url } = await startIn(t, { dataDir, settings: { work_mem: '12MB' } })
    assert.equal(await show(url, 'work_mem'), '12MB')
  })

  test('the embedded PostgreSQL finds a short place for its socket when the data folder has a long path', async (t) => {
    const dataDir = join(temporaryFolder(t), 'a'.repeat(90), 'postgres')
    layCluster(dataDir)
    const server = await startEmbeddedPostgres({ dataDir })
    assert.ok(Buffer.byteLength(server.socketDir) < 90, server.socketDir)
    assert.equal(statSync(server.socketDir).mode & 0o777, 0o700)
    assert.deepEqual(await ask(server.url, 'select 1 as one'), [{ one: 1 }])
    await server.stop()
    assert.equal(existsSync(server.socketDir), false)
  })

  test('leaves no half cluster when an earlier initdb was cut off', async (t) => {
    const dataDir = join(temporaryFolder(t), 'postgres')
    mkdirSync(join(dataDir, 'cluster.new-00000000', 'base'), { recursive: true })
    const { url } = await startIn(t, { dataDir })
    assert.deepEqual(await ask(url, 'select 1 as one'), [{ one: 1 }])
    assert.equal(existsSync(join(dataDir, 'cluster.new-00000000')), false)
  })

  test('the embedded PostgreSQL refuses a folder that a live process uses, and leaves that one running', async (t) => {
    const dataDir = join(temporaryFolder(t), 'postgres')
    layCluster(dataDir)
    const { url } = await startIn(t, { dataDir })
    await assert.rejects(
      startEmbeddedPostgres({ dataDir }),
      (error: Error) =>
        error instanceof StartupError && /in use by process \d+/.test(error.message),
    )
    assert.deepEqual(await ask(url, 'select 1 as one'), [{ one: 1 }])
  })

  test('the embedded PostgreSQL reports the end of its log when the server does not start', async (t) => {
    const dataDir = join(temporaryFolder(t), 'postgres')
    layCluster(dataDir)
    await assert.rejects(
      startEmbeddedPostgres({ dataDir, settings: { work_mem: 'much' } }),
      (error: Error) => error instanceof StartupError && /work_mem.*much/.test(error.message),
    )
    await startIn(t, { dataDir }) // And the folder is free again.
  })

  test('the embedded PostgreSQL refuses a cluster of another major version with a way out', async (t) => {
    const dataDir = join(temporaryFolder(t), 'postgres')
    layCluster(dataDir)
    await (await startEmbeddedPostgres({ dataDir })).stop()
    writeFileSync(join(dataDir, 'cluster', 'PG_VERSION'), '12\n')
    await assert.rejects(startEmbeddedPostgres({ dataDir }), /is of PostgreSQL 12.*pg_dump/s)
  })

  test('the embedded PostgreSQL reports that it ended when another process ends it', async (t) => {
    const dataDir = join(temporaryFolder(t), 'postgres')
    layCluster(dataDir)
    const server = await startIn(t, { dataDir })
    process.kill(server.pid, 'SIGQUIT')
    assert.match(await server.exited, /exit code|SIG/)
  })
})

suite('the embedded PostgreSQL after its supervisor was killed', () => {
  test('the embedded PostgreSQL after its supervisor was killed goes down by itself where the system can notify it', async (t) => {
    const dataDir = join(temporaryFolder(t), 'postgres')
    layCluster(dataDir)
    const program = runProgram('run-postgres.ts', { args: [dataDir] })
    const [, pid] = await program.line(/"pid":(\d+)/)
    program.child.kill('SIGKILL')
    await program.end()
    assert.ok(await waitUntil(() => !isAlive(Number(pid)), 60_000))
    // Its own processes notice by themselves, each a moment later.
    const left = (): number[] => leftBehind(program.mark, join(dataDir, 'cluster'))
    assert.ok(await waitUntil(() => left().length === 0, 60_000), left().join(', '))
  })

  test('the embedded PostgreSQL after its supervisor was killed is stopped by the next start if it still runs, and loses nothing', async (t) => {
    const dataDir = join(temporaryFolder(t), 'postgres')
    layCluster(dataDir)
    const program = runProgram('run-postgres.ts', { args: [dataDir, 'outlives'] })
    const [, url = '', pid = ''] = await program.line(/"url":"([^"]+)","pid":(\d+)/)
    await ask(url, 'create table kept as select 7 as seven')
    program.child.kill('SIGKILL')
    await program.end()
    assert.ok(isAlive(Number(pid)), 'the server should have outlived its supervisor')
    const { url: next } = await startIn(t, { dataDir })
    assert.equal(isAlive(Number(pid)), false)
    assert.deepEqual(await ask(next, 'select seven from kept'), [{ seven: 7 }])
  })

  test('the embedded PostgreSQL after its supervisor was killed starts over lock files whose process id belongs to another process by now', async (t) => {
    const dataDir = join(temporaryFolder(t), 'postgres')
    layCluster(dataDir)
    await (await startEmbeddedPostgres({ dataDir })).stop()
    for (const lock of ['cluster/postmaster.pid', 'run/.s.PGSQL.5432.lock']) {
      writeFileSync(join(dataDir, lock), `${process.ppid}\n${dataDir}\n`)
    }
    await startIn(t, { dataDir })
    assert.ok(isAlive(process.ppid))
  })
})

suite('the embedded PostgreSQL of root and of others', () => {
  test('runs as root in a folder that only root may enter', needsRoot, async (t) => {
    const folder = temporaryFolder(t, 0o700)
    const { url } = await startIn(t, { dataDir: join(folder, 'postgres') })
    assert.deepEqual(await ask(url, 'select 1 as one'), [{ one: 1 }])
    assert.equal(statSync(join(folder, 'postgres', 'cluster')).uid, 0)
  })

  test('runs as another user where root has no user namespaces', needsRoot, async (t) => {
    const folder = temporaryFolder(t, 0o711)
    const dataDir = join(folder, 'data', 'postgres')
    const server = await startEmbeddedPostgres({ dataDir, rootMode: 'user' })
    const owner = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]
    assert.notEqual(owner, '0')
    await ask(server.url, 'create table kept as select 7 as seven')
    await server.stop()
    // The cluster belongs to that user now, and a start that may choose its user takes that one.
    const second = await startIn(t, { dataDir })
    assert.deepEqual(await ask(second.url, 'select seven from kept'), [{ seven: 7 }])
  })

  test('names the folder that keeps the other user out', needsRoot, async (t) => {
    const folder = temporaryFolder(t, 0o700)
    await assert.rejects(
      startEmbeddedPostgres({ dataDir: join(folder, 'data', 'postgres'), rootMode: 'user' }),
      (error: Error) => error instanceof StartupError && error.message.includes(folder),
    )
  })

  test('runs for an ordinary user', needsNobody, async (t) => {
    const folder = temporaryFolder(t, 0o700)
    chownSync(folder, NOBODY.uid, NOBODY.gid)
    const program = runProgram('run-postgres.ts', { args: [join(folder, 'postgres')], ...NOBODY })
    const [, url = '', pid = ''] = await program.line(/"url":"([^"]+)","pid":(\d+)/)
    assert.deepEqual(await ask(url, 'select 1 as one'), [{ one: 1 }])
    assert.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^Uid:\s+65534/m)
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
    assert.equal(isAlive(Number(pid)), false)
  })

  test(
    'names a folder that may not be written and the setting behind it',
    needsNobody,
    async (t) => {
      const folder = temporaryFolder(t, 0o755)
      const program = runProgram('run-postgres.ts', { args: [join(folder, 'postgres')], ...NOBODY })
      assert.equal(await program.end(), 1)
      assert.match(program.output(), /cannot be written \(permission is denied\).*DATA_DIR/)
      assert.equal(program.output().trim().split('\n').length, 1)
    },
  )
})

suite('a PostgreSQL of the system', () => {
  const binDir = '/usr/lib/postgresql/15/bin'
  const skip = existsSync(binDir) ? false : `there is no ${dirname(binDir)} on this machine`

  test('a PostgreSQL of the system runs under the same supervisor', { skip }, async (t) => {
    const dataDir = join(temporaryFolder(t), 'postgres')
    const { url } = await startIn(t, { dataDir, binDir })
    assert.match(String(await show(url, 'server_version')), /^15\./)
    assert.equal(await show(url, 'fsync'), 'on')
  })
})
