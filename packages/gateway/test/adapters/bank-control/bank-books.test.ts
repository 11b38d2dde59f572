import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test, type TestContext } from 'node:test'
import {
  BankBooksError,
  readBankBooks,
  readControlAddress,
} from '../../../src/adapters/bank-control/bank-books.ts'
import { readBankChanges } from '../../../src/adapters/bank-control/changed-bank-orders.ts'

const ORDER = {
  acquirer: '414000',
  merchant: 'TOLLGATE2001',
  terminal: 'T0000001',
  stan: '000042',
  transmittedAt: '1121080000',
  currency: '840',
  kind: 'authorization',
  state: 'captured',
  approvedMinor: '100',
  capturedMinor: '60',
  refundedMinor: '10',
  heldMinor: '40',
}
const end = (orders: number): string => `${JSON.stringify({ end: true, orders })}\n`
const line = `${JSON.stringify(ORDER)}\n`

/** A bank whose books are this text, and then the connection breaks or ends. */
async function bankThatSays(
  t: TestContext,
  text: string,
  { status = 200, breaksOff = false } = {},
): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status)
    response.write(text, () => (breaksOff ? response.destroy() : response.end()))
  })
  t.after(() => server.close())
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function isRefused(url: string, message: RegExp): Promise<void> {
  await assert.rejects(Array.fromAsync(readBankBooks(url, () => null)), (error: unknown) => {
    assert.ok(error instanceof BankBooksError, String(error))
    assert.match(error.message, message)
    return true
  })
}

suite("the bank's books", () => {
  test('a whole answer returns each order in the words of the gateway', async (t) => {
    const [order, ...others] = await Array.fromAsync(
      readBankBooks(await bankThatSays(t, line + end(1)), () => null),
    )
    assert.deepEqual(others, [])
    assert.equal(order?.currency, 'USD')
    assert.deepEqual(order?.figures, {
      approvedMinor: 100n,
      capturedMinor: 60n,
      refundedMinor: 10n,
    })
  })

  test('an answer without its last line is incomplete', async (t) => {
    await isRefused(await bankThatSays(t, line + line), /incomplete: 2 orders came/)
  })

  test('a last line that counts more orders than arrived is incomplete', async (t) => {
    await isRefused(await bankThatSays(t, line + end(2)), /incomplete: 1 orders came/)
  })

  test('an interrupted answer is not read as a short one', async (t) => {
    await isRefused(
      await bankThatSays(t, line + line, { breaksOff: true }),
      /cannot be read|incomplete/,
    )
  })

  test('a line of another form is refused', async (t) => {
    await isRefused(await bankThatSays(t, '{"order":1}\n' + end(1)), /none of theirs/)
  })

  test('an answer with another status is refused with it', async (t) => {
    await isRefused(await bankThatSays(t, '', { status: 404 }), /HTTP status 404/)
  })

  test('a position that the bank does not have asks for a full run', async (t) => {
    const changes = readBankChanges(await bankThatSays(t, '', { status: 409 }), () => null)
    await assert.rejects(Array.fromAsync(changes.readSince('1.1.a')), (error: unknown) => {
      assert.ok(error instanceof BankBooksError, String(error))
      assert.match(error.message, /other books, or an older copy\. Run "tollgate recon" without/)
      return true
    })
    await assert.rejects(changes.readPosition(), /The bank's books cannot be read/)
  })

  test('a missing bank is reported as away', async (t) => {
    const url = await bankThatSays(t, end(0))
    await isRefused(url.replace(/\d+$/, '1'), /ECONNREFUSED.*Make sure that the bank runs/)
  })

  test("a reader without the bank's file gets an error that names the expected path", () => {
    assert.throws(
      () => readControlAddress('/nowhere/control-address'),
      /\/nowhere\/control-address \(ENOENT\)/,
    )
  })
})
