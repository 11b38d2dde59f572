import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { suite, test, type TestContext } from 'node:test'
import { eventually } from '../../../../../test/support/eventually.ts'
import { createFairTurns, NoTurnError } from '../../../src/http/payment/fair-turns.ts'
import type { TakePayment } from '../../../src/usecases/payments/payment-command.ts'
import { aGateway, aTransaction, formOf, SITE } from '../fake-gateway.ts'

const SALE = { REQUEST_ACTION: 'CCAUTHCAP', PMT_NUMB: '4111111111111111', PMT_EXPIRY: '122040' }
const MERCHANTS: Readonly<Record<string, bigint>> = { flood: 10n, shop: 11n }

/** A server with one place and two for waiting, whose payments end when the test says so. */
async function aBusyGateway(t: TestContext) {
  const turns = createFairTurns<bigint>({ places: 1, waiting: 2 })
  const underWay: { readonly end: () => void }[] = []
  const takePayment: TakePayment = async () => {
    await new Promise<void>((end) => underWay.push({ end }))
    return { kind: 'done', transaction: aTransaction() }
  }
  const { servers } = aGateway({
    turns,
    takePayment,
    authenticate: async (username) => {
      const merchantId = MERCHANTS[username] ?? 0n
      return {
        kind: 'granted',
        user: { id: merchantId, merchantId, username, readsApi: false, requestRate: null },
        site: SITE,
      }
    },
    isUnavailable: (error) => error instanceof NoTurnError,
  })
  const [address = ''] = await servers.listen()
  t.after(() => servers.close())
  const { port } = new URL(address)
  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => resolve(socket)).on('error', reject)
      t.after(() => socket.destroy())
    })
  return { turns, underWay, open }
}

/** A request on its way, as bytes. */
function request(username: string): string {
  const body = formOf({ ...SALE, LI_VALUE_1: '1.00', REQ_USERNAME: username })
  return `${head(body.length)}${body}`
}

function head(length: number): string {
  return (
    'POST /payment/pmt_service.cfm HTTP/1.1\r\nHost: 127.0.0.1\r\n' +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\n`
  )
}

/** Resolves with the status line and the headers of the next answer. */
function nextAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once('data', (bytes) => resolve(bytes.toString('latin1'))))
}

suite('a flood of one merchant', () => {
  test('a flood of one merchant leaves the next turn to another one', async (t) => {
    const { turns, underWay, open } = await aBusyGateway(t)
    const sockets = await Promise.all([open(), open(), open(), open()])
    const answers = sockets.map(nextAnswer)
    const [first, second, third, shop] = sockets
    first.write(request('flood'))
    await eventually('the first payment is under way', () => underWay.length === 1)
    second.write(request('flood'))
    await eventually('a second one waits', () => turns.counts().waiting === 1)
    third.write(request('flood'))
    await eventually('a third one waits', () => turns.counts().waiting === 2)
    shop.write(request('shop'))
    assert.match((await answers[2]) ?? '', /^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n/i)
    for (const done of [1, 2, 3]) {
      await eventually(`payment ${done} is under way`, () => underWay.length === done)
      underWay[done - 1]?.end()
    }
    for (const at of [0, 1, 3]) assert.match((await answers[at]) ?? '', /^HTTP\/1\.1 200 /)
    assert.equal(underWay.length, 3)
  })

  test('a flood of one merchant is refused on known connections before its forms are read', async (t) => {
    const { turns, underWay, open } = await aBusyGateway(t)
    const known = await open()
    const paid = nextAnswer(known)
    known.write(request('flood'))
    await eventually('the first payment is under way', () => underWay.length === 1)
    underWay[0]?.end()
    assert.match(await paid, /^HTTP\/1\.1 200 /)
    for (const begun of [0, 1, 2]) {
      const socket = await open()
      socket.write(request('flood'))
      await eventually(
        'it has a place',
        () => turns.counts().inWork + turns.counts().waiting > begun,
      )
    }

    const refused = nextAnswer(known)
    known.write(head(500))
    assert.match(await refused, /^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n/i)
    assert.equal(turns.counts().refused, 0)
    for (const at of [1, 2, 3]) {
      await eventually('the next payment is under way', () => underWay.length > at)
      underWay[at]?.end()
    }
  })
})
