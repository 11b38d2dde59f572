import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import type { Certificate } from '../../packages/gateway/src/http/servers/certificate.ts'
import {
  makeAuthority,
  needsOpenssl,
  sClient,
} from '../../packages/gateway/test/http/servers/tls-client.ts'
import { layCluster } from '../../packages/tollgate/test/cluster-template.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { runProgram, type Program } from '../../packages/tollgate/test/program.ts'
import { EXPIRY, VISA } from '../support/payments.ts'
import { credentials } from '../support/running-gateway.ts'

// The whole program, as an operator starts it.

const CLI = new URL('../../packages/tollgate/src/cli.ts', import.meta.url)
const authority = await makeAuthority()

interface Started {
  readonly program: Program
  readonly port: number
  readonly tlsPort: number
  readonly metricsPort: number
  readonly certFile: string
  /** Changes the files as renewal programs do: each by a rename. */
  renew(pair: Partial<Certificate>): void
}

interface Scope {
  after(work: () => Promise<void>): void
}

async function start(t: Scope, pair: Certificate, more: Record<string, string>): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-tls-'))
  const [port = 0, tlsPort = 0, bankPort, controlPort, metricsPort = 0] = await freePorts(5)
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const renew = ({ cert, key }: Partial<Certificate>): void => {
    for (const [file, text] of [
      [certFile, cert],
      [keyFile, key],
    ] as const) {
      if (text === undefined) continue
      writeFileSync(`${file}.new`, text)
      renameSync(`${file}.new`, file)
    }
  }
  renew(pair)
  layCluster(join(folder, 'data', 'postgres'))
  const program = runProgram(CLI, {
    env: {
      PORT: String(port),
      TLS_PORT: String(tlsPort),
      BANK_PORT: String(bankPort),
      BANK_CONTROL_PORT: String(controlPort),
      METRICS_PORT: String(metricsPort),
      TLS_CERT: certFile,
      TLS_KEY: keyFile,
      DATA_DIR: join(folder, 'data'),
      WORKERS: '2',
      ...more,
    },
  })
  t.after(async () => {
    program.child.kill('SIGTERM')
    await program.end()
    rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 100 })
  })
  return { program, port, tlsPort, metricsPort, certFile, renew }
}

async function connected(port: number): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', ca: authority.root })
  await once(socket, 'secureConnect')
  return socket
}

/** The name on the certificate that a new connection is shown. */
async function shownTo(port: number): Promise<unknown> {
  const socket = await connected(port)
  const { CN } = socket.getPeerCertificate().subject
  socket.destroy()
  return CN
}

interface Answer {
  readonly status: number | undefined
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

async function sale(port: number, createConnection: () => TLSSocket): Promise<Answer> {
  const form = new URLSearchParams({
    ...credentials(),
    REQUEST_ACTION: 'CCAUTHCAP',
    REQUEST_RESPONSE_FORMAT: 'JSON',
    PMT_NUMB: VISA,
    PMT_EXPIRY: EXPIRY,
    LI_VALUE_1: '12.00',
  })
  return post(port, '/payment/pmt_service.cfm', form, createConnection)
}

/** Sends a form, and returns the answer. */
async function post(
  port: number,
  path: string,
  form: URLSearchParams,
  createConnection: () => TLSSocket,
): Promise<Answer> {
  const headers = { connection: 'keep-alive' }
  const asked = request({ port, path, method: 'POST', headers, createConnection })
  asked.end(form.toString())
  const [response] = await once(asked, 'response')
  const text = (await response.toArray()).join('')
  return { status: response.statusCode, headers: response.headers, text }
}

async function metric(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

suite('TLS of the whole program', needsOpenssl, () => {
  let sandbox: Started
  let stopSandbox = (): Promise<void> => Promise.resolve()
  after(() => stopSandbox())
  before(async () => {
    const scope: Scope = { after: (work) => void (stopSandbox = work) }
    sandbox = await start(scope, await authority.issue({ name: 'old' }), {})
    await sandbox.program.line(/^tollgate ready/m)
  })

  test('a session goes on at whichever worker a client meets', async (t) => {
    const { tlsPort } = sandbox
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-session-'))
    t.after(() => rmSync(folder, { recursive: true }))
    for (const version of ['-tls1_2', '-tls1_3']) {
      const session = join(folder, version)
      assert.match(await sClient(tlsPort, [version, '-sess_out', session]), /^New, /m)
      // Connections are handed to the two workers in turn.
      for (let visit = 0; visit < 4; visit += 1) {
        assert.match(await sClient(tlsPort, [version, '-sess_in', session]), /^Reused, /m)
      }
    }
  })

  test('the sandbox sends no HSTS header, because clients cannot verify its certificate', async () => {
    const { tlsPort } = sandbox
    const socket = await connected(tlsPort)
    const { headers, status } = await sale(tlsPort, () => socket)
    socket.destroy()
    assert.equal(status, 200)
    assert.equal(headers['strict-transport-security'], undefined)
  })

  test('a renewed certificate reaches every worker within seconds, and open connections go on', async () => {
    const { program, tlsPort, metricsPort, renew, certFile } = sandbox
    const kept = await Promise.all([connected(tlsPort), connected(tlsPort)])
    assert.deepEqual(
      await Promise.all([1, 2, 3, 4].map(() => shownTo(tlsPort))),
      Array(4).fill('old'),
    )

    // A key alone is half a renewal: each worker reports it, and nothing changes.
    const next = await authority.issue({ name: 'next', to: new Date('2049-01-01T00:00:00Z') })
    renew({ key: next.key })
    await program.line(/(?:the changed certificate is invalid[^]*){2}/)
    assert.equal(await shownTo(tlsPort), 'old')

    renew(next)
    await program.line(/(?:"subject":"CN=next"[^\n]*a new certificate is in use[^]*){2}/)
    assert.deepEqual(
      await Promise.all([1, 2, 3, 4].map(() => shownTo(tlsPort))),
      Array(4).fill('next'),
    )
    assert.equal(await metric(metricsPort, 'tollgate_certificate_expires_seconds'), 2_493_072_000)
    for (const name of [
      'supervisor',
      'bank',
      'gateway worker 1',
      'gateway worker 2',
      'PostgreSQL',
    ]) {
      const bytes = await metric(
        metricsPort,
        `tollgate_process_memory_bytes\\{process="${name}"\\}`,
      )
      assert.ok(bytes > 4 * 1_024 * 1_024, `${name}: ${bytes}`)
    }
    assert.ok((await metric(metricsPort, 'tollgate_data_folder_free_bytes')) > 0)
    // Each worker has one.
    const listening = 'tollgate_database_connections\\{pool="tollgate listening",state="used"\\}'
    assert.equal(await metric(metricsPort, listening), 2)

    for (const socket of kept) {
      const answer = await sale(tlsPort, () => socket)
      assert.match(answer.text, /"TRANS_STATUS_NAME":"APPROVED"/)
      socket.destroy()
    }
    const output = program.output()
    assert.ok(output.includes(certFile), 'the refusal does not name the file')
    assert.doesNotMatch(output, /PRIVATE KEY/)

    const lines = output.split('\n').filter((line) => line.startsWith('{'))
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const names = new Set(entries.map(({ name }) => String(name)))
    assert.deepEqual([...names].toSorted(), ['bank', 'gateway', 'supervisor'])
    for (const [at, { level, msg, node, pid, time }] of entries.entries()) {
      const line = String(lines[at])
      const types = [level, msg, node, pid, time].map((field) => typeof field)
      assert.deepEqual(types, ['number', 'string', 'string', 'number', 'number'], line)
      assert.ok([10, 20, 30, 40, 50, 60].includes(Number(level)), line)
    }
  })

  test('production serves only HTTPS, sends the HSTS header, and serves no simulated issuer', async (t) => {
    const { program, port, tlsPort } = await start(t, await authority.issue(), {
      MODE: 'production',
      BANK: 'on',
      THREE_DS_SIMULATOR: 'on',
      VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
    })
    await program.line(/^tollgate ready https:/m)
    assert.match(program.output(), /Server listening at https:/)
    assert.doesNotMatch(program.output(), /Server listening at http:/)
    const refused = connectPlain(port, '127.0.0.1')
    await assert.rejects(once(refused, 'connect'), { code: 'ECONNREFUSED' })
    const socket = await connected(tlsPort)
    // There is no demo merchant, and a refusal has the headers of every answer.
    const { headers, text } = await sale(tlsPort, () => socket)
    assert.match(text, /"API_RESPONSE":"101"/)
    const simulated = new URLSearchParams({ creq: 'x' })
    const issuer = await post(tlsPort, '/acs/creq', simulated, () => socket)
    socket.destroy()
    assert.equal(issuer.status, 404)
    assert.equal(headers['strict-transport-security'], 'max-age=31536000')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(String(headers['tollgate-request-id']), /^[a-p]{12}-\w+$/)
    assert.deepEqual([headers['server'], headers['x-powered-by']], [undefined, undefined])
    for (const version of ['-tls1', '-tls1_1']) {
      const said = await sClient(tlsPort, [version, '-cipher', 'ALL:@SECLEVEL=0'])
      assert.match(said, /alert protocol version/)
    }
  })

  test('a start with a key that does not fit says so, and starts nothing', async (t) => {
    const [one, other] = [await authority.issue(), await authority.issue()]
    const { program } = await start(t, { ...one, key: other.key }, {})
    assert.equal(await program.end(), 1)
    assert.match(program.output(), /^TLS_KEY is .*key\.pem, which does not fit the certificate/m)
    assert.doesNotMatch(program.output(), /tollgate ready/)
  })
})
