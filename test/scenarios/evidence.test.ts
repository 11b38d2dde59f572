import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { maskEvidence } from '../../packages/gateway/src/wiring/operator-evidence.ts'
import { EVIDENCE_PART_NAMES } from '../../packages/tollgate/src/evidence/evidence-parts.ts'
import { operatorSettings, runHere, type Ran } from '../support/command-line.ts'
import { payment, VISA } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const SMTP_PASSWORD = 'Mail-pw-6Yq2Zt'
const TYPED = '4111 1111 1111 1111'

suite('the evidence for an assessor', () => {
  let gateway: RunningGateway
  let folder: string
  let path: string
  let written: Ran
  let text: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-evidence-'))
    path = join(folder, 'evidence.json')
    gateway = await startRunningGateway()
    await gateway.client().sale(payment('7.00'))
    // A user typed a number where a name belongs, in a version that did not refuse it.
    await gateway.pool.query(`update portal_users set name = $1 where merchant_id = 2`, [
      `Ann ${TYPED}`,
    ])
    written = await tollgate('--to', path)
    assert.equal(written.code, 0, written.output)
    text = readFileSync(path, 'utf8')
  })
  after(async () => {
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const tollgate = (...args: readonly string[]): Promise<Ran> =>
    runHere(['evidence', ...args], {
      ...operatorSettings(gateway, folder),
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: '1',
      SMTP_TLS: 'none',
      SMTP_USER: 'mailer',
      SMTP_PASSWORD,
      MAIL_FROM: 'pay@shop.example',
    })

  test('has every part, with the checks that hold and the head of the whole log', () => {
    const { madeAt, ...parts } = JSON.parse(text)
    assert.deepEqual(Object.keys(parts), [...EVIDENCE_PART_NAMES])
    assert.ok(Date.parse(madeAt) > 0)
    assert.equal(parts.verify.holds, true)
    assert.ok(parts.verify.rules.length >= 80)
    assert.deepEqual([parts.audit.isWhole, parts.audit.fault], [true, null])
    assert.match(parts.audit.head.hash, /^[0-9a-f]{64}$/)
    assert.equal(parts.recon.compared, false)
    assert.ok(parts.keys.some(({ state }: { state: string }) => state === 'active'))
    const [owner] = parts.portal_users
    assert.deepEqual([owner.email, owner.role], ['owner@tollgate.test', 'owner'])
    assert.equal(parts.settings.SMTP_USER, 'mailer')
  })

  test('has digests whole, even one whose digits look like a card number', () => {
    const digest = `ab${VISA}${'c'.repeat(62 - VISA.length)}`
    const masked = maskEvidence(JSON.stringify({ hash: digest, name: `Ann ${TYPED}` }))
    assert.ok(masked.includes(`"${digest}"`), masked)
    assert.ok(!masked.includes(`Ann ${TYPED}`), masked)
  })

  test('has no secret, no key, no hash of a password and no card number', async () => {
    const { rows } = await gateway.pool.query<{ secret: string }>(
      `select encode(wrapped, 'base64') as secret from data_keys where wrapped is not null
       union all select encode(wrapped, 'hex') from data_keys where wrapped is not null
       union all select hash from api_user_passwords
       union all select password_hash from portal_users where password_hash is not null`,
    )
    const secrets = [
      ...rows.map(({ secret }) => secret),
      gateway.vaultKey.reveal(),
      new URL(gateway.databaseUrl).password,
      SMTP_PASSWORD,
      VISA,
      TYPED,
    ].filter((secret) => secret !== '')
    assert.ok(secrets.length >= 10)
    assert.deepEqual(
      secrets.filter((secret) => text.includes(secret)),
      [],
    )
    assert.doesNotMatch(text, /\$argon2|BEGIN [A-Z ]*PRIVATE KEY/)
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  test('is proved by its digest in the audit log, and no earlier file is replaced', async () => {
    const sha256 = createHash('sha256').update(text).digest('hex')
    assert.match(written.output, new RegExp(`^SHA-256 ${sha256}`, 'm'))
    const { rows } = await gateway.pool.query<{ actor: string; details: string }>(
      `select actor, details from audit_entries where operation = 'evidence.written'`,
    )
    assert.deepEqual(
      rows.map(({ details }) => JSON.parse(details).sha256),
      [sha256],
    )
    assert.match(rows[0]?.actor ?? '', /^operator:/)
    const again = await tollgate('--to', path)
    assert.equal(again.code, 1)
    assert.match(again.output, /cannot be written \(EEXIST\)/)
    assert.equal(readFileSync(path, 'utf8'), text)
  })

  test('is shown part by part, and an unknown part names the known ones', async () => {
    const shown = await tollgate('show', 'retention')
    assert.equal(JSON.parse(shown.output)[0].kind, 'guest_cards')
    const wrong = await tollgate('show', VISA)
    assert.notEqual(wrong.code, 0)
    assert.match(wrong.output, /There are: versions, settings, doctor/)
    assert.ok(!wrong.output.includes(VISA))
    const listed = await tollgate('list')
    assert.equal(listed.output.trim().split('\n').length, EVIDENCE_PART_NAMES.length)
  })
})
