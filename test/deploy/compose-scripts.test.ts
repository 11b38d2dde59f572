import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { root } from '../house/source-text.ts'
import { eventually } from '../support/eventually.ts'

const SYSTEM = '/usr/lib/postgresql'
const SCRIPTS = join(root, 'deploy/compose')
const PASSWORD = 'the password of the standby'

/** The programs of the system's PostgreSQL; null without one. */
function programs(): string | null {
  if (!existsSync(SYSTEM)) return null
  const found = readdirSync(SYSTEM).map((version) => join(SYSTEM, version, 'bin'))
  return found.find((folder) => existsSync(join(folder, 'pg_basebackup'))) ?? null
}

const bin = programs()
const skip = bin === null ? 'needs a PostgreSQL of the system' : false

suite('the scripts of the Compose file', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-compose-'))
  const primary = join(folder, 'primary')
  const standby = join(folder, 'standby')
  let ports: readonly number[] = []
  let running: ChildProcess | null = null
  const path = `${bin}:${folder}:/usr/bin:/bin`
  // PostgreSQL refuses root, in the containers too.
  const identity =
    process.getuid?.() === 0
      ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups']
      : ['env']

  function run(env: Readonly<Record<string, string>>, ...args: readonly string[]): string {
    const [program = '', ...rest] = [...identity, ...args]
    return execFileSync(program, rest, {
      cwd: folder,
      env: { PATH: path, LC_ALL: 'C', ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  function sql(port: number | undefined, text: string): string {
    const to = ['-h', folder, '-p', String(port), '-U', 'tollgate', 'tollgate']
    return run({}, 'psql', '-XAtq', '-c', text, ...to).trim()
  }

  before(async () => {
    ports = await freePorts(2)
    chmodSync(folder, 0o755)
    cpSync(SCRIPTS, join(folder, 'scripts'), { recursive: true })
    writeFileSync(join(folder, 'password'), `${PASSWORD}\n`)
    // The image's own entry runs the server on PGDATA.
    const entry = `#!/bin/sh\nexec "$@" -D "$PGDATA" -k ${folder} -p ${ports[1]} -c listen_addresses= 2>>${folder}/log/standby\n`
    writeFileSync(join(folder, 'docker-entrypoint.sh'), entry, { mode: 0o755 })
    mkdirSync(join(folder, 'log'))
    if (identity[0] === 'setpriv') execFileSync('chown', ['-R', 'postgres', folder])
    run(
      {},
      'initdb',
      '-D',
      primary,
      '-U',
      'tollgate',
      '--auth-local=trust',
      '--auth-host=scram-sha-256',
    )
    const options = `-k ${folder} -p ${ports[0]} -c listen_addresses=127.0.0.1 -c fsync=off`
    run(
      {},
      'pg_ctl',
      '-w',
      '-D',
      primary,
      '-l',
      join(folder, 'log', 'primary'),
      '-o',
      options,
      'start',
    )
    const to = { PGHOST: folder, PGPORT: String(ports[0]) }
    run(to, 'createdb', '-U', 'tollgate', 'tollgate')
    run(
      {
        ...to,
        PGDATA: primary,
        POSTGRES_USER: 'tollgate',
        POSTGRES_DB: 'tollgate',
        REPLICATION_PASSWORD_FILE: join(folder, 'password'),
      },
      'bash',
      join(folder, 'scripts', 'allow-replication.sh'),
    )
    run({}, 'pg_ctl', '-D', primary, 'reload')
  })
  after(async () => {
    await stopStandby()
    if (existsSync(join(primary, 'postmaster.pid'))) {
      run({}, 'pg_ctl', '-w', '-D', primary, '-m', 'immediate', 'stop')
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  function startStandby(): void {
    const env = {
      PATH: path,
      LC_ALL: 'C',
      PGDATA: standby,
      PRIMARY_HOST: '127.0.0.1',
      PRIMARY_PORT: String(ports[0]),
      REPLICATION_PASSWORD_FILE: join(folder, 'password'),
    }
    const [program, ...rest] = [...identity, 'bash', join(folder, 'scripts/start-standby.sh')]
    running = spawn(program, rest, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  }

  async function stopStandby(): Promise<void> {
    if (running === null || running.exitCode !== null) return
    const ended = once(running, 'exit')
    running.kill('SIGINT')
    await ended
  }

  async function followsTo(value: string): Promise<void> {
    sql(
      ports[0],
      `create table if not exists seen (value text); insert into seen values ('${value}')`,
    )
    await eventually(`the standby has ${value}`, () => {
      const query = `select pg_is_in_recovery(), value from seen where value = '${value}'`
      const to = ['-h', folder, '-p', String(ports[1]), '-U', 'tollgate', 'tollgate']
      const args = [...identity.slice(1), 'psql', '-XAtq', '-c', query, ...to]
      const { stdout } = spawnSync(identity[0] ?? '', args, {
        env: { PATH: path },
        encoding: 'utf8',
      })
      return stdout.trim() === `t|${value}`
    })
  }

  test('make a standby that follows the primary through a slot', async () => {
    startStandby()
    await followsTo('first')
    // The copy may have the row already, and then it begins to follow later.
    await eventually('the slot is in use', () => {
      const slots = sql(ports[0], 'select slot_name, active from pg_replication_slots')
      return slots === 'standby|t'
    })
  })

  test('continue with the same copy after a restart, and copy again what broke off', async () => {
    await stopStandby()
    const made = statSync(join(standby, 'PG_VERSION')).ino
    startStandby()
    await followsTo('second')
    assert.equal(statSync(join(standby, 'PG_VERSION')).ino, made, 'it was copied again')
    await stopStandby()
    writeFileSync(`${standby}.unfinished`, '')
    if (identity[0] === 'setpriv') execFileSync('chown', ['postgres', `${standby}.unfinished`])
    startStandby()
    await followsTo('third')
    assert.notEqual(statSync(join(standby, 'PG_VERSION')).ino, made, 'it was not copied again')
    assert.ok(!existsSync(`${standby}.unfinished`))
  })

  test('refuse a copy of the primary without the password', () => {
    const hba = readFileSync(join(primary, 'pg_hba.conf'), 'utf8').trim().split('\n')
    assert.equal(hba.at(-1), 'host replication replication all scram-sha-256')
    const stolen = join(folder, 'stolen')
    const dsn = `host=127.0.0.1 port=${ports[0]} user=replication password=guessed`
    const copy = (): string => run({}, 'pg_basebackup', '--pgdata', stolen, '--dbname', dsn)
    assert.throws(copy, /password authentication failed/)
  })
})
