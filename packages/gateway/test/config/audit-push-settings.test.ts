import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { generate } from 'selfsigned'
import { describeConfig, loadConfig } from '../../src/config/config.ts'

const SECRET = 'a-bearer-secret-of-the-test'

function load(env: Readonly<Record<string, string>>): ReturnType<typeof loadConfig> {
  return loadConfig({ VAULT_KEY: Buffer.alloc(32, 8).toString('base64'), ...env })
}

function problemsOf(env: Readonly<Record<string, string>>): string {
  const loaded = load(env)
  return loaded.ok ? '' : loaded.problems.join('\n')
}

suite('the settings of the receiver of the audit log', () => {
  let folder: string
  let authority: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'audit-push-'))
    authority = join(folder, 'ca.pem')
    const { cert } = await generate([{ name: 'commonName', value: 'logs' }])
    writeFileSync(authority, cert)
  })
  after(() => rmSync(folder, { recursive: true }))

  test('name a receiver over TLS, and show no secret', () => {
    const loaded = load({
      AUDIT_PUSH_URL: 'https://logs.example.com/audit',
      AUDIT_PUSH_CA: authority,
      AUDIT_PUSH_SECRET: SECRET,
    })
    assert.ok(loaded.ok)
    assert.equal(loaded.config.auditPush?.url, 'https://logs.example.com/audit')
    assert.match(loaded.config.auditPush?.ca ?? '', /BEGIN CERTIFICATE/)
    const shown = JSON.stringify(describeConfig(loaded.config))
    assert.ok(shown.includes('https://logs.example.com/audit') && !shown.includes(SECRET))
  })

  test('permit plain text to this machine only', () => {
    for (const protocol of ['http', 'syslog+tcp']) {
      assert.equal(problemsOf({ AUDIT_PUSH_URL: `${protocol}://127.0.0.1:601` }), '')
      assert.equal(problemsOf({ AUDIT_PUSH_URL: `${protocol}://[::1]:601` }), '')
      const away = problemsOf({ AUDIT_PUSH_URL: `${protocol}://logs.example.com:601` })
      assert.match(away, /cross the network in plain text\. Use https or syslog\+tls/)
    }
  })

  test('refuse an address with another scheme, with a part that could be a secret, or with a path over syslog', () => {
    const wrong = [
      'logs.example.com:6514',
      'syslog://logs.example.com',
      'syslog+udp://logs.example.com',
      'ftp://logs.example.com/audit',
      'https:///audit',
      'https://user:password@logs.example.com/audit',
      'https://logs.example.com/audit?token=secret',
      'https://logs.example.com/audit#1',
      'https://logs.example.com/an audit',
      'https://logs.example.com:0/audit',
      'https://logs.example.com:65536/audit',
      'syslog+tls://logs.example.com:6514/audit',
      'syslog+tls://logs.example.com:6514/',
    ]
    const accepted = wrong.filter(
      (url) =>
        !/AUDIT_PUSH_URL is .*, but must be an address such/.test(
          problemsOf({ AUDIT_PUSH_URL: url }),
        ),
    )
    assert.deepEqual(accepted, [])
  })

  test('refuse a file without a certificate, and TLS or a secret that the transport does not have', () => {
    const garbage = join(folder, 'garbage.pem')
    writeFileSync(garbage, 'no certificate')
    const https = 'https://logs.example.com'
    const refused = [
      [{ AUDIT_PUSH_URL: https, AUDIT_PUSH_CA: garbage }, /holds no certificate in PEM form/],
      [{ AUDIT_PUSH_URL: https, AUDIT_PUSH_CA: `${garbage}.gone` }, /cannot be read/],
      [{ AUDIT_PUSH_CA: authority }, /AUDIT_PUSH_CA is set, so AUDIT_PUSH_URL must be/],
      [{ AUDIT_PUSH_SECRET: SECRET }, /AUDIT_PUSH_SECRET is set, so AUDIT_PUSH_URL must be/],
      [
        { AUDIT_PUSH_URL: 'http://127.0.0.1:1', AUDIT_PUSH_CA: authority },
        /the address has no TLS: remove it/,
      ],
      [
        { AUDIT_PUSH_URL: 'syslog+tls://logs.example.com', AUDIT_PUSH_SECRET: SECRET },
        /syslog has no secret: remove it, or use https/,
      ],
    ] as const
    for (const [env, problem] of refused) assert.match(problemsOf(env), problem)
    const short = problemsOf({ AUDIT_PUSH_URL: https, AUDIT_PUSH_SECRET: 'short-secret' })
    assert.match(short, /its value is kept secret/)
    assert.ok(!short.includes('short-secret'))
  })
})
