import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startThreeDsWorld, type ThreeDsWorld } from './three-ds-world.ts'

suite('POST /payment/3dsrequest.cfm', () => {
  let world: ThreeDsWorld
  before(async () => void (world = await startThreeDsWorld()))
  after(() => world?.stop())

  test('answers request id, token, digits, account, address and reference, all as text', async () => {
    const answer = await world.ask()
    assert.deepEqual(Object.keys(answer), ['REQ_ID', 'JWT', 'PMT_BIN', 'MERCH_ACCT_ID', 'DDC_URL', 'DDC_REFERENCEID'])
    const { JWT, REQ_ID, ...rest } = answer
    assert.deepEqual(rest, {
      PMT_BIN: '400000',
      MERCH_ACCT_ID: '2001',
      DDC_URL: 'https://pay.example/V2/Cruise/Collect',
      DDC_REFERENCEID: `${REQ_ID}-2001`,
    })
    const claims = await world.parts.tokens.verify('ddc', JWT ?? '')
    assert.equal(claims?.reference, `${REQ_ID}-2001`)
  })
})
