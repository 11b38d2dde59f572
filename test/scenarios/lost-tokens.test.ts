import { ClientError } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openConnectionCutter, type ConnectionCutter } from '../support/connection-cutter.ts'
import { newReference, outcome } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { newToken } from '../support/tokens.ts'

let gateway: RunningGateway
let cutter: ConnectionCutter
before(async () => {
  gateway = await startRunningGateway({}, undefined, {
    detour: async (url) => {
      cutter = await openConnectionCutter(url)
      return cutter.url
    },
  })
})
after(async () => {
  await gateway?.stop()
  await cutter?.close()
})

async function orders(): Promise<number> {
  const { rows } = await gateway.pool.query<{ count: number }>('select count(*)::int from orders')
  return rows[0]?.count ?? -1
}

/** Payments that the bank was asked for; what follows an earlier one may still be on its way. */
function asked(): number {
  let count = 0
  for (const [, entry] of gateway.bank.books.messages.all()) if (entry.kind === 'auth') count += 1
  return count
}

for (const [when, retried] of [
  ['before the server', 'APPROVED 0/100'],
  ['before the answer', 'REFUSED 401/0 TOKEN_GUID'],
] as const) {
  test(`a payment whose use of a token is cut ${when} charges nothing; tried again it is ${retried}`, async () => {
    const { token } = await newToken(gateway.baseUrl)
    const request = {
      cardToken: token,
      expiry: '122040',
      amount: '12.50',
      orderReference: newReference(),
      duplicates: 'replay',
    } as const
    const [ordersBefore, bankBefore] = [await orders(), asked()]
    const cut = cutter.cutNext('take card token', when)
    await assert.rejects(
      gateway.client().sale(request),
      (error) => error instanceof ClientError && error.accepted === 'no',
    )
    await cut
    assert.deepEqual([await orders(), asked()], [ordersBefore, bankBefore])
    assert.equal(outcome(await gateway.client().sale(request)), retried)
  })
}

test('the client gets no token whose insert is cut before the answer, and the next token works', async () => {
  const cut = cutter.cutNext('insert card token', 'before the answer')
  await assert.rejects(newToken(gateway.baseUrl), /Service Unavailable \(503\)/)
  await cut
  assert.match((await newToken(gateway.baseUrl)).token, /^[0-9A-F]{40}$/)
})
