import { compileProfile, HOUSE_PROFILE } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  cannotBeDissected,
  disagreements,
  dissectWithTshark,
  whyNoTshark,
} from '../../packages/iso8583/test/dissect.ts'
import { openBankTap, type BankTap } from '../support/bank-tap.ts'
import { payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let tap: BankTap
before(async () => {
  gateway = await startRunningGateway({}, async (bankPort) => {
    tap = await openBankTap(bankPort)
    return tap.port
  })
})
after(async () => {
  await gateway.stop()
  await tap.close()
})

test('an independent dissector reads every message of gateway and bank as they were meant', async (t) => {
  const missing = whyNoTshark()
  if (missing !== null) {
    process.stderr.write(`SKIPPED: ${missing}\n`)
    t.skip(missing)
    return
  }
  const client = gateway.client()
  const amounts = ['5.01', '6.35', '8.81', '9.91', '12.34', '5.08', '7.25']
  for (const amount of amounts) await client.authorize(payment(amount))
  await client.authorize(payment('7.00', { currency: 'EUR' }))
  await client.authorize(payment('6.60', { partial: { minimum: '5.00' } }))
  await client.authorize(payment('0.00'))
  const sale = await client.sale(payment('40.00'))
  await client.refund({ orderId: String(sale.orderId), amount: '15.00' })
  const order = await client.authorize(payment('50.00'))
  const orderId = String(order.orderId)
  await client.capture({ orderId, amount: '20.00' })
  await client.captureVoid({ orderId, amount: '5.00' })
  await client.void({ orderId })
  await untilNoAdviceIsQueued(gateway)

  const codec = compileProfile(HOUSE_PROFILE)
  const readable = tap.messages.filter(
    (bytes) => !cannotBeDissected(codec.decode(bytes), HOUSE_PROFILE),
  )
  const dissected = dissectWithTshark(readable, HOUSE_PROFILE)

  assert.ok(readable.length >= 40, `${readable.length} messages went over the link`)
  assert.equal(readable.length, tap.messages.length)
  for (const [at, bytes] of readable.entries()) {
    const message = codec.decode(bytes)
    const other = dissected[at]
    assert.ok(
      other !== undefined && !other.malformed,
      `message ${at} (${message.mti}) is malformed`,
    )
    assert.deepEqual(disagreements(message, other, HOUSE_PROFILE), [], `${at} (${message.mti})`)
  }
})
