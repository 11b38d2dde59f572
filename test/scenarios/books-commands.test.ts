import { compileProfile, createLinkClient, HOUSE_PROFILE } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { findEmbeddedDatabase } from '../../packages/tollgate/src/embedded-postgres.ts'
import { layCluster } from '../../packages/tollgate/test/cluster-template.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { runProgram, type Program } from '../../packages/tollgate/test/program.ts'
import { runHere, type Ran } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { credentials } from '../support/running-gateway.ts'

const cli = new URL('../../packages/tollgate/src/cli.ts', import.meta.url)

let folder: string
let env: Record<string, string>
let started: Program
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-commands-'))
  const [port, tlsPort, bankPort] = await freePorts(3)
  env = {
    PORT: String(port),
    TLS_PORT: String(tlsPort),
    BANK_PORT: String(bankPort),
    DATA_DIR: join(folder, 'data'),
    WORKERS: '1',
    BANK_TIMEOUT_MS: '3000',
    // The supervisor's workers run what is named here too, and so from their sources.
    NODE_OPTIONS: '--conditions=tollgate-source',
  }
  layCluster(join(folder, 'data', 'postgres'))
  started = runProgram(cli, { env })
  await started.line(/^tollgate ready/m)
})
after(async () => {
  started.child.kill('SIGTERM')
  await started.end()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a command against the started program; its exit code and what it said. */
const run = (args: readonly string[], changes: Record<string, string> = {}): Promise<Ran> =>
  runHere(args, { ...env, ...changes })

async function sell(): Promise<void> {
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  const baseUrl = `http://127.0.0.1:${env['PORT']}`
  const client = createSingleRequestClient({ baseUrl, username, password, siteId: 1001 })
  assert.equal((await client.sale(payment('10.00'))).status, 'APPROVED')
}

async function untilNothingWaits(): Promise<void> {
  const connectionString = findEmbeddedDatabase(join(folder, 'data', 'postgres'))
  assert.ok(connectionString !== null)
  const pool = new pg.Pool({ connectionString, max: 1 })
  await untilNoAdviceIsQueued({ pool }).finally(() => pool.end())
  const { output } = await run(['queue', '--json'])
  assert.deepEqual((JSON.parse(output) as { longest: unknown[] }).longest, [])
}

suite('the commands that look at the books', () => {
  test('verify --since-last goes on from the last good run, and says what it leaves to a full one', async () => {
    const first = await run(['verify', '--since-last'])
    assert.equal(first.code, 2)
    assert.match(first.output, /No run has found everything in order yet\. Run "tollgate verify"/)
    assert.equal((await run(['verify'])).code, 0)
    await sell()

    const { code, output } = await run(['verify', '--since-last'])

    assert.equal(code, 0, output)
    assert.match(output, /^Checked 1 order that may have changed since the run of 20/m)
    assert.match(output, /Run "tollgate verify" without --since-last once a week\.$/m)
    const asJson = await run(['verify', '--since-last', '--json'])
    const { holds, sinceLast } = JSON.parse(asJson.output) as {
      readonly holds: boolean
      readonly sinceLast: { readonly orders: number; readonly leftOut: readonly string[] }
    }
    assert.deepEqual([holds, sinceLast.leftOut.includes('fees_are_counted')], [true, true])
  })

  test('verify and recon find a started Tollgate by its settings, and nothing wrong with it', async () => {
    await sell()
    const verified = await run(['verify'])
    assert.equal(verified.code, 0, verified.output)
    assert.match(verified.output, /^All \d+ invariants hold\.$/m)

    const early = await run(['recon', '--since-last'])
    assert.equal(early.code, 2)
    assert.match(early.output, /No run has compared all orders yet\. Run "tollgate recon" without/)
    const compared = await run(['recon'])
    assert.equal(compared.code, 0, compared.output)
    assert.match(compared.output, /^USD, 2 orders\n  gateway +approved +20\.00  captured +20\.00/m)
    assert.match(compared.output, /agree about every one of 2 orders\.$/m)
  })

  test('recon --since-last goes on from the last run, and names what it leaves to a full one', async () => {
    await sell()
    await untilNothingWaits()

    const { code, output } = await run(['recon', '--since-last'])

    assert.equal(code, 0, output)
    assert.match(output, /^Compared [3-9] orders that may have changed since the run of 20/m)
    assert.match(output, /Run "tollgate recon" without --since-last once a week\.$/m)
    const asJson = await run(['recon', '--since-last', '--json'])
    const { agrees, sinceLast } = JSON.parse(asJson.output) as {
      readonly agrees: boolean
      readonly sinceLast: { readonly leftOut: readonly string[] }
    }
    assert.deepEqual([agrees, sinceLast.leftOut], [true, ['orders_unchanged_in_both_books']])
  })

  test('the started bank signs on and shows its books only with the secret of its folder', async () => {
    const bankFolder = join(env['DATA_DIR'] ?? '', 'bank')
    assert.equal(statSync(join(bankFolder, 'link-secret')).mode & 0o777, 0o600)
    const control = readFileSync(join(bankFolder, 'control-address'), 'utf8').trim()
    const asked = request(`${control}/books/orders`).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    answer.resume()
    assert.equal(answer.statusCode, 401)

    const link = createLinkClient({
      host: '127.0.0.1',
      port: Number(env['BANK_PORT']),
      codec: compileProfile(HOUSE_PROFILE),
      acquirerId: '414000',
      onUnmatched: () => undefined,
    })
    link.start()
    await eventually('the sign-on is refused', () => link.status().lastError?.includes('58'))
    await link.stop()
  })

  test('queue says that nothing waits, and what waits while the bank acknowledges nothing', async () => {
    await sell()
    await untilNothingWaits()
    const control = readFileSync(
      join(env['DATA_DIR'] ?? '', 'bank', 'control-address'),
      'utf8',
    ).trim()
    const scripted = await fetch(`${control}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ match: { mti: '0220' }, action: { kind: 'silent', applied: false } }),
    })
    assert.equal(scripted.status, 201, await scripted.text())
    await sell()
    const stuck = await run(['queue'])
    assert.equal(stuck.code, 0, stuck.output)
    assert.match(
      stuck.output,
      /^capture advices +1, the oldest \d+ s old, sent (once|\d times) at most$/m,
    )
    assert.match(stuck.output, /^ {2}order \d+: capture of 10\.00 USD, \d+ s old, sent/m)

    await fetch(`${control}/faults`, { method: 'DELETE' })
    await untilNothingWaits()
    assert.match((await run(['queue'])).output, /^No advice is queued\.$/m)
  })

  test('with --json both print one object for programs', async () => {
    const verified = JSON.parse((await run(['verify', '--json'])).output) as { holds: unknown }
    assert.equal(verified.holds, true)
    const compared = JSON.parse((await run(['recon', '--json'])).output) as Record<string, unknown>
    assert.equal(compared['agrees'], true)
    assert.deepEqual(compared['differences'], [])
  })

  test('an unknown option, or a Tollgate that is not running, ends with exit code 2', async () => {
    for (const command of ['verify', 'recon']) {
      const wrong = await run([command, '--fix'])
      assert.deepEqual(
        [wrong.code, wrong.output.trim()],
        [2, `"tollgate ${command}" accepts only the options --json and --since-last.`],
      )
      const away = await run([command], { DATA_DIR: join(folder, 'elsewhere') })
      assert.equal(away.code, 2)
      assert.match(away.output, /is not running. Start Tollgate first/)
    }
  })

  test('recon ends with 2 when the bank cannot be read', async () => {
    // The last test: the bank's own file is spoilt.
    writeFileSync(join(env['DATA_DIR'] ?? '', 'bank', 'control-address'), 'http://127.0.0.1:1\n')
    const compared = await run(['recon'])
    assert.equal(compared.code, 2)
    assert.match(compared.output, /The bank's books cannot be read/)
  })
})
