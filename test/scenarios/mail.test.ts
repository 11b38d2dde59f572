import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { createSmtpPost, SMTP_LIMITS } from '../../packages/gateway/src/adapters/mail/smtp-post.ts'
import { createMailQueue } from '../../packages/gateway/src/adapters/postgres/mail/mail-queue.ts'
import { openOperator, Secret, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { runCommand } from '../../packages/tollgate/src/command.ts'
import { doctor } from '../../packages/tollgate/src/doctor-command.ts'
import { mail as mailCommand } from '../../packages/tollgate/src/mail-command.ts'
import { auditedAsDone } from '../support/audit.ts'
import { untilNumbered } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { startMailServer, type MailServer, type ReceivedMail } from '../support/mail-server.ts'
import { newReference, payment, VISA } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const SITE = 1001n
const FROM = 'receipts@pay.example'

let folder: string
let server: MailServer
let settings: Readonly<Record<string, string>>
let gateway: RunningGateway
let operator: Operator
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-mail-'))
  server = await startMailServer()
  writeFileSync(join(folder, 'ca.pem'), server.ca)
  writeFileSync(join(folder, 'password'), `${server.password}\n`)
  settings = {
    SMTP_HOST: 'localhost',
    SMTP_PORT: String(server.port),
    SMTP_USER: server.user,
    SMTP_PASSWORD_FILE: join(folder, 'password'),
    SMTP_CA: join(folder, 'ca.pem'),
    MAIL_FROM: FROM,
  }
  gateway = await startRunningGateway(settings)
  operator = await openOperator({
    databaseUrl: new Secret(gateway.databaseUrl),
    vaultKey: gateway.vaultKey,
    mode: 'sandbox',
  })
})
after(async () => {
  await operator?.close()
  await gateway?.stop()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

let buyers = 0

/** An address that had no mail yet. */
function buyer(): string {
  buyers += 1
  return `buyer-${buyers}@shop.example`
}

async function done(result: Promise<{ readonly ok: boolean }>): Promise<void> {
  assert.deepEqual(await result, { ok: true })
}

async function choose(...kinds: readonly string[]): Promise<void> {
  await done(operator.mail.set(SITE, { kinds, sendsTests: true, senderName: '', replyTo: '' }))
}

/** An order of a customer that is authorized and captured, and its id. */
async function paid(email: string, amount = '12.50', more: object = {}): Promise<string> {
  const customer = { email, firstName: 'Ada', lastName: 'Lovelace' }
  const sale = await gateway.client().sale(payment(amount, { customer, ...more }))
  assert.equal(sale.status, 'APPROVED')
  return sale.orderId ?? ''
}

/** Everything that was recorded so far has its mails. */
async function settled(): Promise<void> {
  await untilNumbered(gateway)
  await eventually('every event has its mails', async () => {
    const { rowCount } = await gateway.pool.query(
      `select from mail_subscriptions s, events v
        where cardinality(s.kinds) > 0 and v.merchant_id = s.merchant_id
          and v.position > s.position`,
    )
    return rowCount === 0
  })
}

async function only(address: string): Promise<ReceivedMail> {
  const [mail] = await server.until(address, 1)
  assert.ok(mail !== undefined)
  return mail
}

suite('mail', () => {
  test('is not sent for a site that chose no kind, and not for payments from before its choice', async () => {
    const early = buyer()
    await paid(early)
    await untilNumbered(gateway)
    await choose('receipt')
    const late = buyer()
    await paid(late)
    await only(late)
    await choose()
    const between = buyer()
    await paid(between)
    await untilNumbered(gateway)
    await choose('receipt')
    const last = buyer()
    await paid(last)
    await only(last)
    assert.deepEqual([...server.received(early), ...server.received(between)], [])
  })

  test('is not sent for a payment of another site of the same merchant', async () => {
    await choose('receipt')
    const email = buyer()
    const sale = await gateway.client(1003).sale(payment('3.00', { customer: { email } }))
    assert.equal(sale.status, 'APPROVED')
    await settled()
    const own = buyer()
    await paid(own)
    await only(own)
    assert.deepEqual(server.received(email), [])
  })

  test('of a payment says amount, order and card, and no more of the card than its last four', async () => {
    await choose('receipt')
    const [email, reference] = [buyer(), newReference()]
    await paid(email, '12.50', { orderReference: reference })
    const mail = await only(email)
    assert.match(mail.header('subject'), /^\[TEST\] Receipt of your payment to /)
    for (const body of [mail.text, mail.html]) {
      assert.match(body, /Ada Lovelace/)
      assert.match(body, /12\.50 USD/)
      assert.ok(body.includes(reference))
      assert.match(body, /Visa ending in 1111/)
    }
    assert.ok(!mail.raw.includes(VISA) && !mail.raw.includes(VISA.slice(0, 6)))
    assert.equal(mail.isEncrypted, true)
    assert.match(mail.header('message-id'), /^<evt_[a-p]{32}\.\d+\.1@pay\.example>$/)
  })

  test('of a refund goes out for the refund only, if only refunds are chosen', async () => {
    await choose('refund_receipt')
    const email = buyer()
    const orderId = await paid(email)
    const refunded = await gateway.client().refund({ orderId, amount: '2.50' })
    assert.equal(refunded.status, 'APPROVED')
    const mail = await only(email)
    assert.match(mail.text, /we refunded 2\.50 USD/)
    await settled()
    assert.equal(server.received(email).length, 1)
  })

  test('of test mode is not sent unless the site wants it', async () => {
    await done(operator.mail.set(SITE, { kinds: ['receipt'], sendsTests: false }))
    const email = buyer()
    await paid(email)
    await settled()
    await choose('receipt')
    const later = buyer()
    await paid(later)
    await only(later)
    assert.deepEqual(server.received(email), [])
  })

  test('has the texts of its site, with values escaped, and its sender and address for replies', async () => {
    await choose('receipt')
    const sender = { senderName: 'Shop "One"', replyTo: 'help@shop.example' }
    await done(operator.mail.set(SITE, sender))
    const template = {
      subject: 'Thanks {{first_name}}',
      text: 'For {{order}}',
      html: '<p title="{{order}}">{{first_name}}</p>',
    }
    await done(operator.mail.setTemplate(SITE, 'receipt', template))
    const email = buyer()
    const customer = { email, firstName: '<b>Ada</b>', lastName: 'L' }
    const reference = `"x" ${newReference()}`
    await paid(email, '1.00', { customer, orderReference: reference })
    const mail = await only(email)
    assert.equal(mail.header('subject'), '[TEST] Thanks <b>Ada</b>')
    assert.equal(mail.header('reply-to'), 'help@shop.example')
    assert.match(mail.header('from'), new RegExp(`Shop .*One.*<${FROM}>`))
    assert.equal(
      mail.html,
      `<p title="${reference.replaceAll('"', '&quot;')}">&lt;b&gt;Ada&lt;/b&gt;</p>`,
    )
    await done(operator.mail.setTemplate(SITE, 'receipt', null))
    await choose('receipt')
  })

  test('with a temporary refusal is repeated as the same mail, and one refused for good is not', async () => {
    await choose('receipt')
    const [later, never] = [buyer(), buyer()]
    server.behave(later, { at: 'recipient', code: 451 })
    server.behave(never, { at: 'recipient', code: 550 })
    await paid(later)
    await paid(never)
    const stateOf = async (recipient: string) => {
      const { rows } = await gateway.pool.query<{
        state: string
        attempts: number
        answer: string
      }>('select state, attempts, answer from mail_messages where recipient = $1', [recipient])
      return rows[0]
    }
    const failed = await eventually('one is refused', async () => {
      const row = await stateOf(never)
      return row?.state === 'failed' ? row : null
    })
    assert.equal(failed.attempts, 1)
    assert.match(failed.answer, /550/)
    await eventually('the other waits', async () => (await stateOf(later))?.attempts === 1)
    assert.equal((await stateOf(later))?.state, 'waiting')

    server.behave(later, 'accept')
    await gateway.pool.query(
      `update mail_messages set due_at = now() where recipient = $1 and attempts = 1`,
      [later],
    )
    await only(later)
    await eventually('it is sent', async () => (await stateOf(later))?.state === 'sent')
    assert.equal(server.received(never).length, 0)
  })

  test('that was taken without an answer arrives twice with one Message-ID', async () => {
    await choose('receipt')
    const email = buyer()
    server.behave(email, 'take and close')
    await paid(email)
    await eventually('the attempt failed', async () => {
      const { rowCount } = await gateway.pool.query(
        `select from mail_messages where recipient = $1 and attempts = 1`,
        [email],
      )
      return rowCount === 1
    })
    server.behave(email, 'accept')
    await gateway.pool.query('update mail_messages set due_at = now() where recipient = $1', [
      email,
    ])
    const [first, second] = await server.until(email, 2)
    assert.equal(first?.header('message-id'), second?.header('message-id'))
    assert.equal(first?.header('date'), second?.header('date'))
    assert.equal(first?.text, second?.text)
  })

  test('of a customer who is erased is gone from the log', async () => {
    await choose('receipt')
    const email = buyer()
    await paid(email)
    await only(email)
    const { rows } = await gateway.pool.query<{ id: string; mails: number }>(
      `select c.id, (select count(*)::int from mail_messages m where m.customer_id = c.id) as mails
         from customers c where c.email = $1`,
      [email],
    )
    assert.equal(rows[0]?.mails, 1)
    await eventually('the customer is erased', async () => {
      const erased = await operator.retention.eraseCustomer(BigInt(rows[0]?.id ?? 0))
      return erased.ok || null
    })
    const left = await gateway.pool.query(
      'select from mail_messages where recipient = $1 or customer_id = $2',
      [email, rows[0]?.id],
    )
    assert.equal(left.rowCount, 0)
  })

  test('goes to a portal user who chose a notice, marked as a test', async () => {
    const { rows } = await gateway.pool.query<{ email: string }>(
      `select email from portal_users where merchant_id = (select merchant_id from sites
        where id = $1) and active order by id limit 1`,
      [SITE],
    )
    const email = rows[0]?.email ?? ''
    await done(operator.mail.setNotices(email, ['endpoint_stopped']))
    await gateway.pool.query(
      `insert into event_outbox (type, merchant_id, site_id, object_id, details)
       select t.type, s.merchant_id, s.id, 77,
              json_build_object('mode', 'test', 'origin', t.origin, 'data',
                json_build_object('endpoint_id', '77', 'reason', t.reason, 'failures', 20,
                                  'failing_since', null))
         from sites s, (values ('endpoint.paused', 'OPERATOR', 'requested'),
                               ('endpoint.paused', 'GATEWAY', 'failing')) as t (type, origin, reason)
        where s.id = $1`,
      [SITE],
    )
    const mail = await only(email)
    assert.match(mail.header('subject'), /^\[TEST\] A webhook endpoint of .* stopped$/)
    assert.match(mail.text, /Endpoint: 77\nReason: failing/)
    await settled()
    assert.equal(server.received(email).length, 1)
    await done(operator.mail.setNotices(email, []))
  })

  test('of another site does not exist for a site, neither to read nor to send again', async () => {
    await choose('receipt')
    const queued = await operator.mail.test(1002n, 'receipt', buyer())
    assert.ok(queued.ok)
    await eventually('it is sent', async () => {
      const mail = await operator.mail.readMail(1002n, queued.id)
      return mail?.state === 'sent'
    })
    assert.equal(await operator.mail.readMail(SITE, queued.id), null)
    const again = await operator.mail.sendAgain(SITE, queued.id)
    assert.deepEqual(again.ok ? null : again.kind, 'missing')
    const template = { subject: 'Own', text: 'Own', html: '' }
    await done(operator.mail.setTemplate(1002n, 'receipt', template))
    assert.equal((await operator.mail.show(SITE))?.templates.size, 0)
    await done(operator.mail.setTemplate(1002n, 'receipt', null))
  })

  test('commands show, change, preview, test and log mails, and the audit log has each change', async () => {
    const kinds = 'receipt,renewal_failed'
    assert.match(
      await tollgate('set', '1001', '--kinds', kinds, '--test-mail', 'on'),
      /was changed/,
    )
    assert.match(await tollgate('show', '1001'), /\n {2}on {2}renewal_failed: /)
    writeFileSync(join(folder, 'text'), 'You paid {{amount}}.')
    const own = ['template', '1001', 'receipt', '--subject', 'Hi', '--text', join(folder, 'text')]
    assert.match(await tollgate(...own), /were changed/)
    assert.match(await tollgate('preview', '1001', 'receipt'), /^Subject: \[TEST\] Hi\n\nYou paid/)
    writeFileSync(join(folder, 'text'), 'You paid {{pan}}.')
    assert.match(await tollgate(...own), /^\{\{pan\}\} in the text is no placeholder/)
    const to = buyer()
    const queued = await tollgate('test', '1001', 'receipt', '--to', to)
    const [, id = ''] = /^Mail (\d+) is queued/.exec(queued) ?? []
    assert.equal((await only(to)).text, 'You paid 12.50.')
    await eventually('the log has it', async () =>
      (await tollgate('log', '1001', '--state', 'sent')).includes(`${id} `),
    )
    assert.match(await tollgate('read', '1001', id), /You paid 12\.50\./)
    assert.match(await tollgate('resend', '1001', id), /is queued again/)
    const [first, second] = await server.until(to, 2)
    assert.notEqual(first?.header('message-id'), second?.header('message-id'))
    assert.match(await tollgate('template', '1001', 'receipt', '--built-in'), /were changed/)
    const user = 'owner@tollgate.test'
    assert.match(await tollgate('notices', user, '--kinds', 'payout_deposited'), /were changed/)
    assert.equal(await tollgate('notices', user), 'Notices: payout_deposited.')
    assert.match(
      await tollgate('notices', user, '--kinds', 'receipt'),
      /^receipt is no kind of mail/,
    )
    assert.match(await tollgate('notices', user, '--kinds', 'none'), /were changed/)
    assert.equal(await tollgate('notices', 'nobody@tollgate.test'), 'There is no such portal user.')
    const operations = [
      'site.mail_set',
      'site.mail_template_set',
      'site.mail_tested',
      'site.mail_sent_again',
      'portal_user.notices_set',
    ] as const
    assert.deepEqual(await auditedAsDone(gateway.pool, operations), operations)
    assert.ok(!gateway.logged().includes(server.password))
  })

  test('is counted in the metrics', async () => {
    const metrics = await gateway.metrics()
    assert.match(metrics, /tollgate_mail_attempts_total\{outcome="sent"\} [1-9]/)
    assert.match(metrics, /tollgate_mail_attempts_total\{outcome="failed"\} [1-9]/)
    assert.match(metrics, /tollgate_mail_waiting \d/)
  })

  test('server that works is sound for the doctor, and one with another password is a fault', async () => {
    assert.match(await diagnosis({}), /ok +mail +The mail server localhost:\d+ is reached/)
    assert.match(
      await diagnosis({ SMTP_PASSWORD_FILE: '', SMTP_PASSWORD: 'wrong' }),
      /FAULT +mail +The mail server localhost:\d+ cannot be used: .*535/,
    )
  })

  test('is sent once more after its lease, by another process, if its process died after the send', async () => {
    await choose('receipt')
    const email = buyer()
    // The gateway's own attempts fail at once, so that this test claims the mail.
    server.behave(email, { at: 'recipient', code: 451 })
    await paid(email)
    await eventually('the gateway tried', async () => {
      const { rowCount } = await gateway.pool.query(
        'select from mail_messages where recipient = $1 and attempts = 1',
        [email],
      )
      return rowCount === 1
    })
    await gateway.stopGateway()
    server.behave(email, 'accept')
    const queue = createMailQueue(gateway.pool)
    const post = createSmtpPost(
      {
        host: 'localhost',
        port: server.port,
        tls: 'starttls',
        user: server.user,
        password: new Secret(server.password),
        from: FROM,
        ca: server.ca,
      },
      SMTP_LIMITS,
    )
    const due = new Date('2100-01-01T00:00:00Z')
    const [claimed] = (await queue.claim(due, 5)).filter(({ recipient }) => recipient === email)
    assert.ok(claimed !== undefined)
    assert.equal((await post(claimed)).kind, 'accepted')
    assert.deepEqual(await queue.claim(due, 5), [], 'the lease keeps it from others')

    await gateway.pool.query(`update mail_messages set leased_until = now() where id = $1`, [
      claimed.id,
    ])
    const [again] = await queue.claim(due, 5)
    assert.ok(again !== undefined)
    const stateNow = async (): Promise<string | undefined> => {
      const { rows } = await gateway.pool.query<{ state: string }>(
        'select state from mail_messages where id = $1',
        [claimed.id],
      )
      return rows[0]?.state
    }
    await queue.record(claimed, { state: 'failed', attempts: 9 }, 'from the dead', due)
    assert.equal(await stateNow(), 'waiting')
    assert.equal((await post(again)).kind, 'accepted')
    await queue.record(again, { state: 'sent', attempts: 2 }, '250', due)
    const [first, second] = server.received(email)
    assert.equal(first?.header('message-id'), second?.header('message-id'))
    assert.equal(await stateNow(), 'sent')
  })
})

function environment(): Record<string, string> {
  return {
    ...gateway.nodeSettings,
    ...settings,
    DATABASE_URL: gateway.databaseUrl,
    VAULT_KEY: gateway.vaultKey.reveal(),
  }
}

async function tollgate(...args: readonly string[]): Promise<string> {
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)
  await runCommand(mailCommand, args, { env: environment(), print, complain: print })
  return lines.join('\n')
}

async function diagnosis(changes: Readonly<Record<string, string>>): Promise<string> {
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)
  await runCommand(doctor, [], { env: { ...environment(), ...changes }, print, complain: print })
  return lines.join('\n')
}
