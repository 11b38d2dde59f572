import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { startMailServer, type MailServer } from '../../../../../test/support/mail-server.ts'
import {
  createSmtpPost,
  probeSmtp,
  type SmtpLimits,
  type SmtpServer,
} from '../../../src/adapters/mail/smtp-post.ts'
import { Secret } from '../../../src/base/secret.ts'
import type { ClaimedMail } from '../../../src/usecases/mail/mail-ports.ts'

const FROM = 'receipts@pay.example'
/** Long for what answers, short for what hangs. */
const LIMITS: SmtpLimits = { replyMs: 1_500, exchangeMs: 4_000 }

/** A server without TLS. */
const PLAIN = { disabledCommands: ['STARTTLS'], authOptional: true }

const MAIL: ClaimedMail = {
  id: 7n,
  claim: 1,
  attempts: 0,
  round: 2,
  eventId: 'evt_1',
  recipient: 'ada@shop.example',
  senderName: 'Füße & Co',
  replyTo: 'help@shop.example',
  subject: 'Beleg über 12,50 €',
  text: 'Grüße\n',
  html: '<p>Grüße</p>\n',
  createdAt: new Date('2026-11-27T12:00:00Z'),
}

const serverOf = (server: MailServer, change: Partial<SmtpServer> = {}): SmtpServer => ({
  host: 'localhost',
  port: server.port,
  tls: 'starttls',
  user: server.user,
  password: new Secret(server.password),
  from: FROM,
  ca: server.ca,
  ...change,
})

suite('a mail to a server that demands TLS and a login', () => {
  let server: MailServer
  before(async () => {
    server = await startMailServer()
  })
  after(() => server.stop())
  const post = (recipient: string, change: Partial<SmtpServer> = {}) =>
    createSmtpPost(serverOf(server, change), LIMITS)({ ...MAIL, recipient })

  test('arrives encrypted after STARTTLS, as text and HTML', async () => {
    assert.equal((await post(MAIL.recipient)).kind, 'accepted')
    const [mail] = server.received(MAIL.recipient)
    assert.equal(mail?.isEncrypted, true)
    assert.equal(mail?.user, 'gateway')
    assert.equal(mail?.from, FROM)
    assert.deepEqual([mail?.text, mail?.html], ['Grüße', '<p>Grüße</p>'])
    const headers = ['subject', 'from', 'to', 'reply-to', 'message-id', 'date', 'auto-submitted']
    assert.deepEqual(
      headers.map((name) => mail?.header(name)),
      [
        'Beleg über 12,50 €',
        `Füße & Co <${FROM}>`,
        MAIL.recipient,
        'help@shop.example',
        '<evt_1.7.2@pay.example>',
        'Fri, 27 Nov 2026 12:00:00 +0000',
        'auto-generated',
      ],
    )
  })

  for (const [at, code, kind] of [
    ['recipient', 450, 'failed'],
    ['recipient', 550, 'refused'],
    ['content', 452, 'failed'],
    ['content', 554, 'refused'],
  ] as const) {
    test(`is ${kind} if the server answers ${code} to the ${at}`, async () => {
      const recipient = `${at}-${code}@shop.example`
      server.behave(recipient, { at, code })
      const result = await post(recipient)
      assert.equal(result.kind, kind)
      assert.match('answer' in result ? result.answer : '', new RegExp(String(code)))
      assert.deepEqual(server.received(recipient), [])
    })
  }

  test('waits if the server refuses the sender, because an operator can correct that', async () => {
    server.behave('other@pay.example', { at: 'sender', code: 553 })
    const result = await post(MAIL.recipient, { from: 'other@pay.example' })
    assert.equal(result.kind, 'failed')
  })

  test('waits if the server refuses the login', async () => {
    const result = await post(MAIL.recipient, { password: new Secret('wrong') })
    assert.equal(result.kind, 'failed')
    assert.doesNotMatch(JSON.stringify(result), /wrong/)
  })

  test('waits if the server hangs', async () => {
    server.behave('hang@shop.example', 'hang')
    assert.equal((await post('hang@shop.example')).kind, 'failed')
  })

  test('waits if the server closes the connection without an answer', async () => {
    server.behave('close@shop.example', 'close')
    assert.equal((await post('close@shop.example')).kind, 'failed')
  })

  test('is not sent to a server with a certificate of an unknown authority', async () => {
    const result = await post('untrusted@shop.example', { ca: null })
    assert.equal(result.kind, 'failed')
    assert.deepEqual(server.received('untrusted@shop.example'), [])
  })

  test('is not sent to a server with a certificate for another name', async () => {
    const result = await post('name@shop.example', { host: '127.0.0.1' })
    assert.equal(result.kind, 'failed')
    assert.deepEqual(server.received('name@shop.example'), [])
  })

  test('has no header that a subject or a name brings', async () => {
    const nasty = { subject: 'a\r\nBcc: all@shop.example\r\n\r\nx', senderName: 'b\r\nX-Evil: 1' }
    const send = createSmtpPost(serverOf(server), LIMITS)
    assert.equal((await send({ ...MAIL, ...nasty, recipient: 'in@shop.example' })).kind, 'accepted')
    const [mail] = server.received('in@shop.example')
    assert.deepEqual([mail?.header('bcc'), mail?.header('x-evil')], ['', ''])
    assert.equal(server.received('all@shop.example').length, 0)
  })

  test('finds its server sound in a probe, which sends nothing', async () => {
    assert.equal(await probeSmtp(serverOf(server), LIMITS), null)
    const wrong = await probeSmtp(serverOf(server, { password: new Secret('wrong') }), LIMITS)
    assert.match(wrong ?? '', /535/)
  })
})

test('a mail is not sent in plain text to a server that offers no STARTTLS', async () => {
  const server = await startMailServer(PLAIN)
  const post = createSmtpPost(serverOf(server, { password: null }), LIMITS)
  assert.equal((await post(MAIL)).kind, 'failed')
  assert.deepEqual(server.received(MAIL.recipient), [])
  await server.stop()
})

test('a mail is sent in plain text only if the settings say so', async () => {
  const server = await startMailServer(PLAIN)
  const post = createSmtpPost(serverOf(server, { password: null, tls: 'none' }), LIMITS)
  assert.equal((await post(MAIL)).kind, 'accepted')
  assert.equal(server.received(MAIL.recipient)[0]?.isEncrypted, false)
  await server.stop()
})

test('a mail arrives over a connection that begins with TLS', async () => {
  const server = await startMailServer({ secure: true })
  const post = createSmtpPost(serverOf(server, { tls: 'implicit' }), LIMITS)
  assert.equal((await post(MAIL)).kind, 'accepted')
  assert.equal(server.received(MAIL.recipient)[0]?.isEncrypted, true)
  await server.stop()
})

test('a mail waits if the server never greets, or sends its greeting byte by byte', async () => {
  const sockets: Socket[] = []
  const trickling = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined))
    const timer = setInterval(() => socket.write('2'), 200)
    socket.on('close', () => clearInterval(timer))
  })
  const silent = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined))
  })
  for (const server of [silent, trickling]) {
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const settings = { host: '127.0.0.1', port, tls: 'none', user: '', password: null } as const
    const post = createSmtpPost({ ...settings, from: FROM, ca: null }, LIMITS)
    assert.equal((await post(MAIL)).kind, 'failed')
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

test('a mail waits if no server listens', async () => {
  const server = await startMailServer()
  await server.stop()
  assert.equal((await createSmtpPost(serverOf(server), LIMITS)(MAIL)).kind, 'failed')
})
