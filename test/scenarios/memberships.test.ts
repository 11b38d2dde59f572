import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, codes, monthly, sale } from '../support/memberships.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway

before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway.stop())

test('a sale that defines a product begins a membership, and says so in its answer', async () => {
  const answer = await ask(gateway, sale(monthly('Gold')))
  console.log(answer)
  assert.equal(codes(answer), 'APPROVED 0/100')
})
