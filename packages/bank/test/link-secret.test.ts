import { createLinkClient, frame, withSignOnProof } from '@tollgate/iso8583'
import { HOUSE_PROFILE, compileProfile, type IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { isTestBank, readBankRole, TEST_BANK } from '../src/bank-role.ts'
import { startBank } from '../src/bank.ts'
import { createBoundedWarning } from '../src/bounded-warning.ts'
import { booksAuthorization, readLinkSecret } from '../src/link-secret.ts'
import { linkTo } from './support/bank-process.ts'
import { ask, startTestBank } from './support/running-bank.ts'
import { aCapture, aFolder, anAuthorization, aReversal } from './support/test-bank.ts'
import { NOON, closeWith } from './support/test-bank.ts'

const SECRET = 's'.repeat(32)
const OWN = '400001'
const codec = compileProfile(HOUSE_PROFILE)

/** A bundled bank: it has an institution and a secret. */
async function aBundledBank(t: TestContext) {
  const folder = await aFolder(t)
  const warnings: string[] = []
  const bank = await startBank({
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    folder,
    role: { ...TEST_BANK, institutionId: OWN, secret: SECRET },
    now: () => NOON,
    warn: (sentence) => warnings.push(sentence),
    onFatal: (error) => assert.fail(String(error)),
  })
  closeWith(folder, () => bank.stop())
  return { bank, warnings }
}

/** The code in the answer to one message on a connection of its own. */
async function codeFor(port: number, message: IsoMessage): Promise<string | undefined> {
  const socket = connect(port, '127.0.0.1')
  socket.write(frame(codec.encode(message)))
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return codec.decode(bytes.subarray(2)).fields[39]
}

function signOn(institution: string): IsoMessage {
  const fields = { 7: '0314120000', 11: '000001', 32: institution, 41: 'NM000000', 70: '001' }
  return { mti: '0800', fields }
}

/** The same message, with fields that an attacker would change. */
function changed(message: IsoMessage, fields: Readonly<Record<number, string>>): IsoMessage {
  return { mti: message.mti, fields: { ...message.fields, ...fields } }
}

suite('the secret of the links', () => {
  test('a sign-on needs the institution of the bank and a proof of the secret for this message', async (t) => {
    const { bank, warnings } = await aBundledBank(t)
    const right = withSignOnProof(signOn(OWN), SECRET)
    const code = (message: IsoMessage) => codeFor(bank.port, message)
    assert.equal(await code(right), '00')
    assert.equal(await code(signOn(OWN)), '58')
    assert.equal(await code(withSignOnProof(signOn(OWN), `${SECRET}x`)), '58')
    assert.equal(await code(withSignOnProof(signOn('999999'), SECRET)), '58')
    assert.equal(await code(changed(right, { 11: '000002' })), '58')
    assert.equal(await code(changed(right, { 48: 'SP1' })), '58')
    assert.equal(warnings.length, 1, 'each refusal has a line of its own')
    assert.match(warnings[0] ?? '', /^The sign-on of institution 400001 was refused/)
  })

  test('a link that knows the secret signs on, and pays', async (t) => {
    const { bank } = await aBundledBank(t)
    const link = createLinkClient({
      host: '127.0.0.1',
      port: bank.port,
      codec,
      acquirerId: OWN,
      signOnSecret: () => SECRET,
      onUnmatched: () => {},
    })
    link.start()
    t.after(() => link.stop())
    await link.whenUp()
    assert.equal((await ask(link, anAuthorization())).fields[39], '00')
  })

  test('the books are shown only to a reader with the secret', async (t) => {
    const { bank } = await aBundledBank(t)
    const statusOf = async (path: string, authorization?: string): Promise<number | undefined> => {
      const headers = authorization === undefined ? {} : { authorization }
      const asked = request(new URL(path, bank.controlUrl ?? ''), { headers, agent: false }).end()
      const [answer] = await once(asked, 'response')
      answer.resume()
      return answer.statusCode
    }
    for (const path of ['/books/orders', '/books/totals', '/books/cards-on-file']) {
      assert.equal(await statusOf(path), 401, path)
      assert.equal(await statusOf(path, booksAuthorization(`${SECRET}x`)), 401, path)
      assert.equal(await statusOf(path, booksAuthorization(SECRET)), 200, path)
    }
    assert.equal(await statusOf('/test-values'), 200)
  })

  test('the bank makes its secret once, in a file that only its user can read', async (t) => {
    const file = join(await aFolder(t), 'bank', 'link-secret')
    const made = readLinkSecret({ BANK_SECRET_FILE: file })
    assert.match(made ?? '', /^[0-9a-f]{64}$/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(readFileSync(file, 'utf8'), `${made}\n`)
    assert.equal(readLinkSecret({ BANK_SECRET_FILE: file }), made)
    assert.equal(readLinkSecret({ BANK_SECRET_FILE: file, BANK_SECRET: SECRET }), SECRET)
    assert.equal(readLinkSecret({}), null)
    writeFileSync(file, 'short\n')
    assert.throws(() => readLinkSecret({ BANK_SECRET_FILE: file }), /32 to 128 printable/)
    assert.throws(
      () => readLinkSecret({ BANK_SECRET: 'hidden' }),
      (error: Error) => {
        assert.doesNotMatch(error.message, /hidden/)
        return true
      },
    )
  })

  test('a bundled bank has its simulator, and a bank that plays an acquirer has neither simulator nor secret', () => {
    const bundled = readBankRole({ BANK_INSTITUTION_ID: '414000', BANK_SECRET: SECRET })
    assert.deepEqual([isTestBank(bundled), bundled.secret], [true, SECRET])
    const acquirer = readBankRole({ BANK_INSTITUTION_ID: '500001' })
    assert.deepEqual([isTestBank(acquirer), acquirer.secret], [false, null])
  })
})

test('a capture or a reversal of a message of another institution changes nothing', async (t) => {
  const { bank } = await startTestBank(t)
  const link = await linkTo(t, bank.port)
  const order = anAuthorization()
  assert.equal((await ask(link, order)).fields[39], '00')
  for (const [advice, code] of [
    [aCapture(order, 100n), '76'],
    [aReversal(order), '25'],
  ] as const) {
    assert.equal((await ask(link, changed(advice, { 32: '999999' }))).fields[39], code)
  }
  // A reversal of a message that has not come yet must not stop it.
  const later = anAuthorization()
  assert.equal((await ask(link, changed(aReversal(later), { 32: '999999' }))).fields[39], '25')
  assert.equal((await ask(link, later)).fields[39], '00')
  assert.equal((await ask(link, aCapture(order, 100n))).fields[39], '00')
})

test('a warning that a peer can cause is written once a minute, with the number of those left out', () => {
  const lines: string[] = []
  let now = NOON
  const warn = createBoundedWarning(
    (line) => lines.push(line),
    () => now,
  )
  for (let frames = 0; frames < 5; frames += 1) warn('A frame was bad.')
  now += 59_999
  warn('A frame was bad.')
  now += 1
  warn('A frame was bad.')
  now -= 3_600_000
  warn('A frame was bad.')
  assert.deepEqual(lines, [
    'A frame was bad.',
    'A frame was bad. Before it, 5 more such lines were left out.',
    'A frame was bad.',
  ])
})
