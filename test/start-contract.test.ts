import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePorts, takePort, portOf } from '../packages/tollgate/test/free-ports.ts'
import { killAll, leftBehind, watch, type Program } from '../packages/tollgate/test/program.ts'
import { eventually } from './support/eventually.ts'

const checkout = fileURLToPath(new URL('..', import.meta.url))
/** Missing in a fresh clone. The packages are copied apart: fetching them takes a network. */
const NOT_CLONED = new Set(['.git', '.node', '.tollgate', '.env', 'node_modules', 'dist'])

suite('npm start in a folder with a space that only its owner may enter', () => {
  const outer = mkdtempSync(join(tmpdir(), 'tollgate-contract-'))
  const clone = join(outer, 'my clone')
  const dataDir = join(outer, 'changed data')
  const cluster = join(dataDir, 'postgres', 'cluster')
  let env: Record<string, string> = {}
  /** The requests to a collector of metrics, in parts. */
  const sent: string[] = []
  const collector = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (part: string) => sent.push(part))
    request.on('end', () => response.end('{}'))
  })

  before(async () => {
    mkdirSync(clone, { mode: 0o700 })
    const filter = (path: string): boolean => !NOT_CLONED.has(basename(path))
    cpSync(checkout.replace(/\/$/, ''), clone, { recursive: true, filter })
    for (const name of ['node_modules', '.node']) {
      const from = join(checkout, name)
      if (existsSync(from)) execFileSync('cp', ['-a', from, join(clone, name)])
    }
    const [port, tlsPort, bankPort, metricsPort] = await freePorts(4)
    await once(collector.listen(0, '127.0.0.1'), 'listening')
    env = {
      METRICS_URL: `http://127.0.0.1:${portOf(collector)}/v1/metrics`,
      PORT: String(port),
      TLS_PORT: String(tlsPort),
      BANK_PORT: String(bankPort),
      METRICS_PORT: String(metricsPort),
      DATA_DIR: dataDir,
    }
  })
  after(() => collector.close())
  after(() => rmSync(outer, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

  /** `npm start`, as it is typed; nothing of this test's own environment but what a shell has. */
  function npmStart(...args: readonly string[]): Program {
    const mark = randomUUID()
    const child = spawn('npm', ['start', '--', ...args], {
      cwd: clone,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? outer,
        TOLLGATE_TEST_MARK: mark,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return watch(child, mark)
  }

  /** The processes that run our own programs, without npm, the shell and PostgreSQL. */
  function programsOf(program: Program): number[] {
    return leftBehind(program.mark, cluster).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/packages/'),
    )
  }

  async function stopped(program: Program): Promise<void> {
    program.child.kill('SIGTERM')
    assert.equal(await program.end(), 0, program.output())
    assert.deepEqual(leftBehind(program.mark, cluster), [])
  }

  /** The built program has to find the files of the page as well. */
  async function servesCardFields(base: string): Promise<void> {
    const page = await (await fetch(`${base}/pay/field.html?site=1001`)).text()
    const loaded = [...page.matchAll(/(?:src|href)="([^"]+)" integrity="([^"]+)"/g)]
    assert.ok(loaded.length > 5, page)
    for (const [, address = '', integrity] of loaded) {
      const bytes = Buffer.from(await (await fetch(`${base}${address}`)).arrayBuffer())
      assert.equal(`sha384-${createHash('sha384').update(bytes).digest('base64')}`, integrity)
    }
  }

  test('npm start takes the payment of the printed curl line, opens no debugger, and stops on SIGTERM, twice', async () => {
    for (const start of ['first', 'second']) {
      const program = npmStart()
      await program.line(new RegExp(`^tollgate ready http://127\\.0\\.0\\.1:${env['PORT']}$`, 'm'))
      await program.line(/Sandbox-4\.14-demo/)
      const [line] = await program.line(/^curl .*$/m)
      const answer = execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' })
      const record = JSON.parse(answer) as Record<string, unknown>
      assert.equal(record['TRANS_STATUS_NAME'], 'APPROVED', `${start} start: ${answer}`)
      const metrics = await fetch(`http://127.0.0.1:${env['METRICS_PORT']}/metrics`)
      const counted =
        'tollgate_requests_total{action="CCAUTHCAP",state="APPROVED",http_status="200"} 1'
      assert.ok((await metrics.text()).includes(counted), 'the payment is not in the metrics')
      await eventually('the collector has the metrics of this start', () =>
        sent.splice(0).join('').includes('"tollgate_build_info"'),
      )
      await servesCardFields(`http://127.0.0.1:${env['PORT']}`)
      const ours = programsOf(program)
      assert.ok(ours.length >= 3, 'supervisor, bank and worker were not found')
      for (const pid of ours) process.kill(pid, 'SIGUSR1')
      await stopped(program)
      assert.doesNotMatch(program.output(), /Debugger listening/)
    }
    assert.ok(existsSync(cluster))
    assert.equal(existsSync(join(clone, '.tollgate')), false)
  })

  test('npm start starts again after everything was killed at once', async () => {
    const program = npmStart()
    await program.line(/^tollgate ready/m)
    killAll(leftBehind(program.mark, cluster))
    await program.end()
    const next = npmStart()
    await next.line(/^tollgate ready/m)
    await stopped(next)
  })

  test('npm start says in a sentence that a port is taken, and ends with a fault', async (t) => {
    const server = await takePort()
    t.after(() => server.close())
    const given = env
    t.after(() => (env = given))
    env = { ...env, BANK_PORT: String(portOf(server)) }
    const program = npmStart()
    assert.equal(await program.end(), 1)
    assert.match(
      program.output(),
      /^Port \d+ on 127\.0\.0\.1 \(BANK_PORT\) is already in use: .*\.$/m,
    )
  })

  test('npm start passes a command on', async () => {
    const program = npmStart('config')
    assert.equal(await program.end(), 0)
    assert.match(program.output(), new RegExp(`^PORT +${env['PORT']}$`, 'm'))
  })
})
