import { decodePrivateData, encodePrivateData } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { OutgoingHttpHeaders } from 'node:http'
import { createConnection } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { linkTo } from '../support/bank-process.ts'
import { ask, startTestBank } from '../support/running-bank.ts'
import { aCapture, aCredit, aFolder, aRefund, aReversal } from '../support/test-bank.ts'
import { anAuthorization } from '../support/test-bank.ts'

interface Answer {
  readonly status: number
  readonly text: string
}

/** A request with headers that fetch would not let a test write. */
async function send(
  url: string,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body = '',
): Promise<Answer> {
  const outgoing = request(new URL(path, url), { method, headers, agent: false })
  outgoing.end(body)
  const [incoming] = await once(outgoing, 'response')
  let text = ''
  for await (const part of incoming) text += String(part)
  return { status: incoming.statusCode, text }
}

async function linesOf(url: string): Promise<Record<string, unknown>[]> {
  const { status, text } = await send(url, 'GET', '/books/orders')
  assert.equal(status, 200)
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

suite("the bank's control API", () => {
  test('counts the payments with a card on file by their claims and by objections', async (t) => {
    const { bank, url } = await startTestBank(t)
    const link = await linkTo(t, bank.port)
    const first = await ask(link, anAuthorization({ tags: { CI: 'C103' } }))
    const NO = decodePrivateData(first.fields[48] ?? '')['NT'] ?? ''
    const good = { CI: 'M103', AU: '1', NO, CP: '9' }
    const asked: readonly { readonly tags?: Record<string, string>; readonly minor?: bigint }[] = [
      { tags: good },
      { tags: { ...good, NO: '031400000000000' } },
      { tags: good },
      { tags: good, minor: 505n },
      {},
    ]
    for (const { minor, tags = {} } of asked) {
      const message = anAuthorization({ tags, ...(minor === undefined ? {} : { minor }) })
      const { CV: _code, ...rest } = decodePrivateData(message.fields[48] ?? '')
      await ask(link, { ...message, fields: { ...message.fields, 48: encodePrivateData(rest) } })
    }

    const { status, text } = await send(url, 'GET', '/books/cards-on-file')

    assert.equal(status, 200)
    const renewal = { initiation: 'M103', responseCode: '00', updater: 'V' }
    assert.deepEqual((JSON.parse(text) as Record<string, unknown>)['payments'], [
      { initiation: 'C103', responseCode: '00', objections: [], count: 1 },
      { ...renewal, objections: [], count: 2 },
      { ...renewal, objections: ['unknown_reference'], count: 1 },
      { ...renewal, responseCode: '05', objections: [], count: 1 },
    ])
  })

  test('reports the highest STAN of each terminal, of a restarted bank too', async (t) => {
    const { bank, folder } = await startTestBank(t)
    const link = await linkTo(t, bank.port)
    const at = (terminal: string, stan: string, minor = 1000n) => {
      const message = anAuthorization({ minor })
      return { ...message, fields: { ...message.fields, 32: '400001', 41: terminal, 11: stan } }
    }
    const declined = at('T0000002', '000031', 505n)
    for (const message of [at('T0000001', '000700'), at('T0000001', '000020'), declined]) {
      await ask(link, message)
    }
    await bank.stop()
    const { url } = await startTestBank(t, { folder })

    assert.deepEqual(JSON.parse((await send(url, 'GET', '/books/terminals')).text), {
      terminals: [
        { acquirer: '400001', terminal: 'T0000001', stan: '000700' },
        { acquirer: '400001', terminal: 'T0000002', stan: '000031' },
      ],
    })
  })

  test('returns accounts and a statement by merchant, the test values, and drops one rule of several', async (t) => {
    const { bank, url } = await startTestBank(t)
    const link = await linkTo(t, bank.port)
    const held = anAuthorization({ minor: 1000n })
    for (const message of [held, aCapture(held, 700n)]) await ask(link, message)
    const get = async (path: string) =>
      JSON.parse((await send(url, 'GET', path)).text) as Record<string, unknown>

    const { accounts } = (await get('/accounts?merchant=MERCHANT0001')) as {
      accounts: { id: string; first6: string | null; balances: unknown[] }[]
    }
    const used = accounts.filter(({ balances }) => balances.length > 0)
    assert.equal(used.length, 1)
    const { lines } = (await get(`/statement?account=${used[0]?.id}&merchant=MERCHANT0001`)) as {
      lines: { kind: string; heldMinor: string }[]
    }
    assert.deepEqual(
      lines.map(({ kind, heldMinor }) => `${kind} ${heldMinor}`),
      ['capture 0', 'authorization 300'],
    )
    assert.deepEqual((await get(`/statement?account=${used[0]?.id}&merchant=OTHER`))['lines'], [])
    assert.equal(
      ((await get('/test-values')) as { triggers: { amount: string }[] }).triggers[0]?.amount,
      '5.01',
    )

    const rule = JSON.stringify({ action: { kind: 'twice' } })
    for (let at = 0; at < 2; at += 1)
      await send(url, 'POST', '/faults', { 'content-type': 'application/json' }, rule)
    assert.equal((await send(url, 'DELETE', '/faults/1')).status, 200)
    assert.equal((await send(url, 'DELETE', '/faults/1')).status, 404)
    assert.deepEqual(
      ((await get('/faults')) as { rules: { id: number }[] }).rules.map(({ id }) => id),
      [2],
    )
  })

  test('returns every order, credit and tombstone with its money, and how many there are', async (t) => {
    const { bank, url } = await startTestBank(t)
    const link = await linkTo(t, bank.port)
    const captured = anAuthorization({ minor: 1000n })
    const unknown = anAuthorization()
    const credited = aCredit({ minor: 250n })
    for (const message of [
      captured,
      aCapture(captured, 700n),
      aRefund(captured, 200n),
      aReversal(unknown),
      credited,
      anAuthorization({ minor: 505n }),
    ]) {
      await ask(link, message)
    }

    const lines = await linesOf(url)

    const identity = ({ fields }: typeof captured) => ({
      acquirer: '400001',
      terminal: 'TERM0001',
      stan: fields[11],
      transmittedAt: '0314120000',
    })
    assert.deepEqual(lines, [
      {
        ...identity(captured),
        merchant: 'MERCHANT0001',
        currency: '840',
        kind: 'authorization',
        state: 'refunded',
        approvedMinor: '1000',
        capturedMinor: '700',
        refundedMinor: '200',
        heldMinor: '300',
      },
      {
        ...identity(unknown),
        merchant: null,
        currency: null,
        kind: 'tombstone',
        state: 'reversed',
        approvedMinor: '0',
        capturedMinor: '0',
        refundedMinor: '0',
        heldMinor: '0',
      },
      {
        ...identity(credited),
        merchant: 'MERCHANT0001',
        currency: '840',
        kind: 'credit',
        state: 'refunded',
        approvedMinor: '0',
        capturedMinor: '0',
        refundedMinor: '250',
        heldMinor: '0',
      },
      { end: true, orders: 3 },
    ])
  })

  test('returns more orders than go into one piece, each of them once', async (t) => {
    const { bank, url } = await startTestBank(t)
    const link = await linkTo(t, bank.port)
    // As many as one sender finds places for on the link.
    for (let group = 0; group < 5; group += 1) {
      await Promise.all(Array.from({ length: 202 }, () => ask(link, anAuthorization())))
    }

    const lines = await linesOf(url)

    assert.deepEqual(lines.pop(), { end: true, orders: 1010 })
    assert.equal(new Set(lines.map(({ stan }) => stan)).size, 1010)
  })

  test('returns the balance of each kind of account, with no difference between them', async (t) => {
    const { bank, url } = await startTestBank(t)
    const link = await linkTo(t, bank.port)
    const authorization = anAuthorization({ minor: 1000n })
    await ask(link, authorization)
    await ask(link, aCapture(authorization, 700n))

    const { text } = await send(url, 'GET', '/books/totals')

    const accounts = {
      cardholder: '-1000',
      hold: '300',
      issuer_clearing: '700',
      acquirer_clearing: '-700',
      payable: '700',
      suspense: '0',
    }
    assert.deepEqual(JSON.parse(text), {
      totals: [{ currency: '840', accounts, differenceMinor: '0' }],
    })
  })

  test('writes its address for its owner alone, and removes it when the bank stops', async (t) => {
    const folder = await aFolder(t)
    const file = join(folder, 'control-address')
    await writeFile(file, 'left by a bank that was killed', { mode: 0o644 })
    const { bank, url } = await startTestBank(t, { folder })

    assert.equal(await readFile(file, 'utf8'), `${url}\n`)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    await bank.stop()
    await assert.rejects(stat(file), { code: 'ENOENT' })
  })

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((found) => found?.family === 'IPv4' && !found.internal)?.address
  const noOutside = outside === undefined && 'this machine has the loopback address only'
  test('is not to be reached from outside', { skip: noOutside }, async (t) => {
    const { url } = await startTestBank(t)
    const socket = createConnection({ host: outside ?? '', port: Number(new URL(url).port) })

    await assert.rejects(once(socket, 'connect'), { code: 'ECONNREFUSED' })
  })

  test('answers no web page: neither a name that leads here nor a page elsewhere', async (t) => {
    const { url } = await startTestBank(t)
    const { port } = new URL(url)

    for (const headers of [
      { Host: `bank.example:${port}` },
      { Host: '127.0.0.1' },
      { Origin: 'http://shop.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ]) {
      const { status, text } = await send(url, 'GET', '/books/orders', headers)
      assert.equal(status, 403)
      assert.match(text, /^\{"error":".*\."\}\n$/)
    }
    const { status } = await send(url, 'GET', '/books/totals', { Host: `localhost:${port}` })
    assert.equal(status, 200)
  })

  test('lists its requests in the answer to an unknown one', async (t) => {
    const { url } = await startTestBank(t)

    const { status, text } = await send(url, 'GET', '/books')

    assert.equal(status, 404)
    assert.match(text, /There is no GET \/books\. There are GET \/books\/orders/)
  })
})
