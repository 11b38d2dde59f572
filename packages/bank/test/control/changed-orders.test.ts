import type { IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import { linkTo } from '../support/bank-process.ts'
import { ask, startTestBank } from '../support/running-bank.ts'
import { aCapture, aCredit, anAuthorization, aRefund, aReversal } from '../support/test-bank.ts'

interface OrderLine {
  readonly acquirer: string
  readonly terminal: string
  readonly stan: string
  readonly transmittedAt: string
  readonly capturedMinor: string
}

async function positionOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/books/position`)
  return ((await answer.json()) as { position: string }).position
}

async function linesOf(answer: Response): Promise<OrderLine[]> {
  assert.equal(answer.status, 200, await answer.clone().text())
  const lines = (await answer.text()).trimEnd().split('\n')
  const orders = lines.slice(0, -1).map((line) => JSON.parse(line) as OrderLine)
  assert.deepEqual(JSON.parse(lines.at(-1) ?? ''), { end: true, orders: orders.length })
  return orders
}

async function changedSince(url: string, position: string): Promise<string[]> {
  const lines = await linesOf(await fetch(`${url}/books/orders?since=${position}`))
  return lines.map(({ stan }) => stan).toSorted()
}

function named(url: string, keys: readonly string[]): Promise<Response> {
  return fetch(`${url}/books/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ keys }),
  })
}

const stanOf = ({ fields }: IsoMessage): string => fields[11] ?? ''

async function aBusyBank(t: TestContext) {
  const started = await startTestBank(t)
  const link = await linkTo(t, started.bank.port)
  const say = async (message: IsoMessage): Promise<IsoMessage> => {
    await ask(link, message)
    return message
  }
  return { ...started, say }
}

suite("the bank's orders behind a position of its journal", () => {
  test('each kind of movement names the order that it changes, and a declined payment names none', async (t) => {
    const { say, url } = await aBusyBank(t)
    const captured = await say(anAuthorization({ minor: 1000n }))
    const voided = await say(anAuthorization({ minor: 1000n }))
    const capture = await say(aCapture(voided, 700n))
    const refunded = await say(anAuthorization({ minor: 1000n }))
    await say(aCapture(refunded, 1000n))
    const released = await say(anAuthorization({ minor: 1000n }))
    await say(anAuthorization({ minor: 1000n }))
    const before = await positionOf(url)

    assert.deepEqual(await changedSince(url, before), [])
    await say(aCapture(captured, 600n))
    await say(aReversal(capture))
    await say(aRefund(refunded, 100n))
    await say(aReversal(released))
    const fresh = await say(anAuthorization({ minor: 1000n }))
    const credit = await say(aCredit({ minor: 300n }))
    const unseen = anAuthorization({ minor: 1000n })
    await say(aReversal(unseen))
    await say(anAuthorization({ minor: 505n }))

    const changed = [captured, voided, refunded, released, fresh, credit, unseen].map(stanOf)
    assert.deepEqual(await changedSince(url, before), changed.toSorted())
    assert.deepEqual(await changedSince(url, await positionOf(url)), [])
  })

  test('a restarted bank goes on from a position of before, and an emptied one refuses it', async (t) => {
    const { bank, folder, say, url } = await aBusyBank(t)
    await say(anAuthorization({ minor: 1000n }))
    const before = await positionOf(url)
    const fresh = await say(anAuthorization({ minor: 1000n }))
    await bank.stop()
    const restarted = await startTestBank(t, { folder })
    assert.deepEqual(await changedSince(restarted.url, before), [stanOf(fresh)])

    const other = await aBusyBank(t)
    const refused = await fetch(`${other.url}/books/orders?since=${before}`)
    assert.equal(refused.status, 409)
    assert.match(await refused.text(), /No record of this journal ends at the position in since/)
    const malformed = await fetch(`${other.url}/books/orders?since=12`)
    assert.equal(malformed.status, 400)
    assert.match(await malformed.text(), /since is \\"12\\"; it must be a position/)
  })

  test('named orders come as they are now, and unknown ones do not come', async (t) => {
    const { say, url } = await aBusyBank(t)
    const held = await say(anAuthorization({ minor: 1000n }))
    await say(aCapture(held, 400n))
    await say(anAuthorization({ minor: 1000n }))
    const [first] = await linesOf(await fetch(`${url}/books/orders`))
    assert.ok(first !== undefined)
    const { acquirer, stan, terminal, transmittedAt } = first
    const key = [acquirer, terminal, stan, transmittedAt].join('/')

    const found = await linesOf(await named(url, [key, '1/T0000009/000001/0314120000']))

    assert.deepEqual(
      found.map((line) => [line.stan, line.capturedMinor]),
      [[stanOf(held), '400']],
    )
    const tooMany = await named(
      url,
      Array.from({ length: 5_001 }, () => key),
    )
    assert.equal(tooMany.status, 400)
    assert.match(await tooMany.text(), /it must be an array of at most 5000 keys/)
  })
})
