import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chownSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { untilSeen } from '../../../test/support/eventually.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../src/embedded-postgres.ts'
import { isAlive, processesInside, waitUntil } from '../src/running-process.ts'
import { layCluster } from './cluster-template.ts'
import { freePorts, portOf, takePort } from './free-ports.ts'
import {
  canBecomeNobody,
  killAll,
  leftBehind,
  NOBODY,
  runProgram,
  temporaryFolder,
  type Program,
} from './program.ts'

const needsNobody = { skip: canBecomeNobody() }

interface Setup {
  readonly program: Program
  readonly dataDir: string
  readonly cluster: string
  readonly env: Readonly<Record<string, string>>
}

async function environment(t: TestContext): Promise<Record<string, string>> {
  const [port, tlsPort, bankPort] = await freePorts(3)
  return {
    PORT: String(port),
    TLS_PORT: String(tlsPort),
    BANK_PORT: String(bankPort),
    DATA_DIR: join(temporaryFolder(t), 'data'),
    WORKERS: '2',
  }
}

/** On a data folder without a cluster, as the first start finds it. */
async function run(t: TestContext, changes: Record<string, string> = {}): Promise<Setup> {
  return runIn(t, { ...(await environment(t)), ...changes })
}

/** On a cluster that is there, which spares a test with another subject the creation of one. */
async function runOnCluster(t: TestContext, changes: Record<string, string> = {}): Promise<Setup> {
  const env = { ...(await environment(t)), ...changes }
  layCluster(join(env['DATA_DIR'] ?? '', 'postgres'))
  return runIn(t, env)
}

async function runIn(t: TestContext, env: Record<string, string>): Promise<Setup> {
  const program = runProgram('run-supervisor.ts', { env })
  t.after(async () => {
    program.child.kill('SIGKILL')
    await program.end()
  })
  const dataDir = env['DATA_DIR'] ?? ''
  return { program, dataDir, cluster: join(dataDir, 'postgres', 'cluster'), env }
}

async function askGateway(env: Readonly<Record<string, string>>): Promise<number> {
  try {
    return (await fetch(`http://127.0.0.1:${env['PORT']}/`)).status
  } catch {
    return 0
  }
}

/** A database that `tollgate start` has nothing to do with. */
async function startOther(t: TestContext): Promise<EmbeddedPostgres> {
  const dataDir = join(temporaryFolder(t), 'other')
  layCluster(dataDir)
  const other = await startEmbeddedPostgres({ dataDir })
  t.after(() => other.stop())
  return other
}

suite('tollgate start', () => {
  test('prints the values for a first payment, opens no debugger, and stops on SIGTERM with nothing left', async (t) => {
    const { program, env, cluster } = await run(t)
    await program.line(new RegExp(`^tollgate ready http://127\\.0\\.0\\.1:${env['PORT']}$`, 'm'))
    await program.line(/demo@tollgate\.test/)
    await program.line(/Sandbox-4\.14-demo/)
    await program.line(/^curl .*li_value_1=12\.50$/m)
    assert.equal((program.output().match(/^worker pid/gm) ?? []).length, 2)
    assert.equal((program.output().match(/^worker pid \d+ jobs 1$/gm) ?? []).length, 1)
    const debuggers = [...program.output().matchAll(/^(\w+) opens a debugger: (\w+)$/gm)]
    assert.deepEqual(debuggers.map(([, part, opens]) => `${part} ${opens}`).toSorted(), [
      'bank false',
      'prepare false',
      'worker false',
      'worker false',
    ])
    assert.equal(await askGateway(env), 200)

    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
    assert.deepEqual(leftBehind(program.mark, cluster), [])
    // Workers first, then the bank: in this order each still has the services that it needs.
    assert.match(program.output(), /worker \d+ stops\nbank stops\n/)
  })

  test('starts again on the same data, preparing the database once each time', async (t) => {
    const { program, env } = await runOnCluster(t)
    await program.line(/^prepared, start 1$/m)
    await program.line(/^tollgate ready/m)
    program.child.kill('SIGINT')
    assert.equal(await program.end(), 0)
    const second = runProgram('run-supervisor.ts', { env })
    await second.line(/^prepared, start 2$/m)
    await second.line(/^tollgate ready/m)
    second.child.kill('SIGTERM')
    assert.equal(await second.end(), 0)
  })

  test('archives the log up to its stop, and hands the key of backups to no other process', async (t) => {
    const key = Buffer.alloc(32, 'backup').toString('base64')
    const store = join(temporaryFolder(t), 'store')
    const { program, dataDir } = await runOnCluster(t, { BACKUP_TO: store, BACKUP_KEY: key })
    await program.line(/^tollgate ready/m)
    const [, worker = ''] = await program.line(/^worker pid (\d+)/m)
    const environment = readFileSync(`/proc/${worker}/environ`, 'utf8')
    assert.ok(environment.includes('DATABASE_URL='))
    assert.ok(!environment.includes('BACKUP_'))
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
    assert.deepEqual(readdirSync(join(dataDir, 'postgres', 'log-spool')), [])
    assert.ok(readdirSync(join(store, 'log')).length > 0)
  })

  test('finds free ports for port 0', async (t) => {
    const { program } = await runOnCluster(t, { PORT: '0', TLS_PORT: '0', BANK_PORT: '0' })
    const [, port] = await program.line(/^tollgate ready http:\/\/127\.0\.0\.1:(\d+)$/m)
    assert.notEqual(port, '0')
    assert.equal(await askGateway({ PORT: port ?? '' }), 200)
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
  })

  test('leaves the port behind the bank to another program and to its own gateway', async (t) => {
    const [before = 0] = await freePorts(1)
    const server = createServer().listen(before + 1, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const beside = await runOnCluster(t, { BANK_PORT: String(before) })
    const [, found = '0'] = await beside.program.line(/^bank control port (\d+)$/m)
    assert.ok(!['0', String(before + 1)].includes(found), found)

    const [port] = await freePorts(1)
    const alone = await runOnCluster(t, { BANK_PORT: String(port), PORT: String(Number(port) + 1) })
    const [, free = '0'] = await alone.program.line(/^bank control port (\d+)$/m)
    assert.ok(!['0', String(Number(port) + 1)].includes(free), free)
  })

  test('uses the database at DATABASE_URL and starts none of its own', async (t) => {
    const other = await startOther(t)
    const { program, dataDir } = await run(t, { DATABASE_URL: other.url })
    await program.line(/^tollgate ready/m)
    assert.equal(readdirSync(dataDir).includes('postgres'), false)
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
    assert.ok(isAlive(other.pid))
  })

  test('keeps the keys and the way to the database from the bank, which needs neither', async (t) => {
    const other = await startOther(t)
    const { program } = await run(t, {
      DATABASE_URL: other.url,
      VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
      AWS_SECRET_ACCESS_KEY: 'not for the bank',
    })
    await program.line(/^tollgate ready/m)
    assert.match(program.output(), /^bank was handed no secret$/m)
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
  })

  test('stops in the middle of its start when it receives the signal to', async (t) => {
    const { program, cluster } = await run(t)
    await program.line(/preparing the database|creating the database cluster/)
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
    assert.deepEqual(leftBehind(program.mark, cluster), [])
    assert.doesNotMatch(program.output(), /tollgate ready/)
  })
})

/** Behind a proxy, on the embedded database. */
const PRODUCTION = {
  MODE: 'production',
  TRUST_PROXY: '127.0.0.1',
  PUBLIC_URL: 'https://pay.example',
  VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
} as const

suite('tollgate start, without a bank of its own', () => {
  test('starts none in production, and leaves its ports to others', async (t) => {
    const server = await takePort()
    t.after(() => server.close())
    const { program, env } = await runOnCluster(t, {
      ...PRODUCTION,
      BANK_PORT: String(portOf(server)),
    })
    await program.line(/^tollgate ready/m)
    assert.match(program.output(), /no bundled bank runs \(BANK=off\): payments of test accounts/)
    assert.doesNotMatch(program.output(), /^bank pid/m)
    assert.equal(await askGateway(env), 200)
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
  })

  test('uses the shared bank of another node, and starts none', async (t) => {
    const server = await takePort()
    t.after(() => server.close())
    const port = portOf(server)
    const { program } = await runOnCluster(t, {
      BANK: 'shared',
      BANK_PORT: String(port),
      BANK_SECRET: 'x'.repeat(32),
    })
    await program.line(/^tollgate ready/m)
    assert.match(
      program.output(),
      new RegExp(`bundled bank of 127\\.0\\.0\\.1 port ${port} is shared`),
    )
    assert.doesNotMatch(program.output(), /^bank pid/m)
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
  })
})

suite('tollgate start, when it cannot', () => {
  for (const setting of [
    'PORT',
    'TLS_PORT',
    'BANK_PORT',
    'BANK_CONTROL_PORT',
    'THREE_DS_RESULTS_PORT',
  ]) {
    test(`says in one sentence that ${setting} is taken, before it starts anything`, async (t) => {
      const server = await takePort()
      t.after(() => server.close())
      const port = portOf(server)
      const { program, dataDir } = await run(t, { [setting]: String(port) })
      assert.equal(await program.end(), 1)
      const sentence =
        `Port ${port} on 127.0.0.1 (${setting}) is already in use: ` +
        `stop the program that uses it, or set ${setting} to another port.\n`
      assert.equal(program.output(), sentence)
      assert.deepEqual(readdirSync(dataDir), [])
    })
  }

  test('reports every bad setting at once', async (t) => {
    const { program } = await run(t, { PORT: 'eighty', WORKERS: '0', HOST: '0.0.0.0' })
    assert.equal(await program.end(), 1)
    const lines = program.output().trim().split('\n')
    assert.equal(lines.length, 3)
    for (const line of lines) assert.match(line, /^(PORT|WORKERS|HOST) is .*\.$/)
  })

  test('names a data folder that the file system cannot make', async (t) => {
    const { program } = await run(t, { DATA_DIR: '/proc/tollgate/data' })
    assert.equal(await program.end(), 1)
    assert.match(
      program.output(),
      /^The data folder \/proc\/tollgate\/data cannot be written \(.*set DATA_DIR to another.*\n$/,
    )
  })

  test('names a data folder that may not be written', needsNobody, async (t) => {
    const env = await environment(t)
    const folder = temporaryFolder(t, 0o755)
    const given = { ...env, DATA_DIR: join(folder, 'data') }
    const program = runProgram('run-supervisor.ts', { env: given, ...NOBODY })
    assert.equal(await program.end(), 1)
    assert.match(
      program.output(),
      /^The data folder .* cannot be written \(permission is denied\).*\n$/,
    )
  })

  test('runs for an ordinary user', needsNobody, async (t) => {
    const env = await environment(t)
    const folder = temporaryFolder(t)
    chownSync(folder, NOBODY.uid, NOBODY.gid)
    const given = { ...env, DATA_DIR: join(folder, 'data') }
    const program = runProgram('run-supervisor.ts', { env: given, ...NOBODY })
    await program.line(/^tollgate ready/m)
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
  })

  test('refuses a data folder that another copy uses, which runs on', async (t) => {
    const { program, env } = await runOnCluster(t)
    await program.line(/^tollgate ready/m)
    const [port, tlsPort, bankPort] = await freePorts(3)
    const ports = { PORT: String(port), TLS_PORT: String(tlsPort), BANK_PORT: String(bankPort) }
    const second = runProgram('run-supervisor.ts', { env: { ...env, ...ports } })
    assert.equal(await second.end(), 1)
    assert.match(second.output(), new RegExp(`in use by process ${program.child.pid}:.*DATA_DIR`))
    assert.equal(await askGateway(env), 200)
  })

  test('says why the database at DATABASE_URL cannot be used, without its password', async (t) => {
    const [port] = await freePorts(1)
    const url = `postgresql://someone:pa55word@127.0.0.1:${port}/nowhere`
    const { program } = await run(t, { DATABASE_URL: url, DATABASE_WAIT_S: '1' })
    assert.equal(await program.end(), 1)
    assert.match(program.output(), /waiting for the database at DATABASE_URL/)
    assert.match(program.output(), /The database at DATABASE_URL cannot be used: .*ECONNREFUSED/)
    assert.doesNotMatch(program.output(), /pa55word/)
  })

  test('ends when the database cannot be prepared, with nothing left', async (t) => {
    const { program, cluster } = await runOnCluster(t, { FIXTURE_PREPARE: 'fail' })
    assert.equal(await program.end(), 1)
    assert.match(program.output(), /The migration 0007 does not fit this database\./)
    assert.deepEqual(leftBehind(program.mark, cluster), [])
  })

  test('gives up on the bank of a sandbox that never runs, with nothing left', async (t) => {
    const { program, cluster } = await runOnCluster(t, { FIXTURE_BANK: 'crash' })
    assert.equal(await program.end(), 1)
    assert.match(
      program.output(),
      /Giving up on the bank: it ended 5 times within 10 seconds, last with exit code 3\./,
    )
    assert.deepEqual(leftBehind(program.mark, cluster), [])
  })
})

suite('tollgate start, when a part dies', () => {
  test('starts a killed worker again', async (t) => {
    const { program, env } = await runOnCluster(t, { WORKERS: '1' })
    const [, pid] = await program.line(/^worker pid (\d+)/m)
    await program.line(/^tollgate ready/m)
    process.kill(Number(pid), 'SIGKILL')
    await program.line(/gateway worker 1 ended with SIGKILL; restarting it/)
    await program.line(new RegExp(`^worker pid (?!${pid} )\\d+ jobs 1`, 'm'))
    assert.equal(await askGateway(env), 200)
  })

  test('gives the keys to the vault process alone, which runs before the workers and is started again', async (t) => {
    const { program, cluster } = await runOnCluster(t, {
      WORKERS: '1',
      VAULT_PROCESS: 'on',
      VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
    })
    await program.line(/^vault was handed VAULT_KEY\b/m)
    const [, pid] = await program.line(/^vault pid (\d+)/m)
    await program.line(/^tollgate ready/m)
    assert.match(program.output(), /vault pid \d+\n[^]*^worker was handed no key$/m)
    process.kill(Number(pid), 'SIGKILL')
    await program.line(/the vault process ended with SIGKILL; restarting it/)
    await program.line(new RegExp(`^vault pid (?!${pid}$)\\d+`, 'm'))
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
    assert.match(program.output(), /worker \d+ stops\n[^]*vault stops\n/)
    assert.deepEqual(leftBehind(program.mark, cluster), [])
  })

  test('starts a killed bank again', async (t) => {
    const { program } = await runOnCluster(t)
    const [, pid] = await program.line(/^bank pid (\d+)/m)
    await program.line(/^tollgate ready/m)
    process.kill(Number(pid), 'SIGKILL')
    await program.line(new RegExp(`^bank pid (?!${pid}$)\\d+`, 'm'))
  })

  test('serves in production while its bank dies more often than a worker may', async (t) => {
    const broken = { BANK: 'on', FIXTURE_BANK: 'crash' }
    const { program, env } = await runOnCluster(t, { ...PRODUCTION, ...broken })
    await program.line(/^tollgate ready/m)
    await program.line(/payments of test accounts fail until the bundled bank runs/)
    await program.line(/(?:the bank ended with exit code 3; restarting it in \d+ ms[^]*){6}/)
    assert.equal(await askGateway(env), 200)
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
  })

  test('starts a killed database again at the same address', async (t) => {
    const { program, env, cluster } = await runOnCluster(t)
    await program.line(/^tollgate ready/m)
    killAll(processesInside(cluster))
    await program.line(/PostgreSQL ended with SIGKILL; restarting it/)
    await untilSeen(
      'the gateway answers again',
      () => askGateway(env),
      (status) => status === 200,
      { seconds: 120 },
    )
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0)
    assert.deepEqual(leftBehind(program.mark, cluster), [])
  })

  test('ends all its processes when it is killed itself, and starts again', async (t) => {
    const { program, env, cluster } = await run(t)
    await program.line(/^tollgate ready/m)
    program.child.kill('SIGKILL')
    const left = (): number[] => leftBehind(program.mark, cluster)
    assert.ok(await waitUntil(() => left().length === 0, 60_000), `left: ${left().join(', ')}`)
    const second = runProgram('run-supervisor.ts', { env })
    await second.line(/^tollgate ready/m)
    second.child.kill('SIGTERM')
    assert.equal(await second.end(), 0)
  })
})
