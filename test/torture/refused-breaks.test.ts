import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBrokenRule as readBankRule } from '../../packages/bank/src/broken-rules.ts'
import { readBrokenRule as readGatewayRule } from '../../packages/gateway/src/wiring/broken-rules.ts'

test('a rule is never broken in production, by the gateway or by the bank', () => {
  assert.throws(() => readGatewayRule('persist_before_send', 'production'), /refused/)
  assert.throws(
    () => readBankRule({ BANK_TEST_BREAKS: 'tombstones', MODE: 'production' }),
    /refused/,
  )
})

test('a rule that there is not is refused, so that no run is green for a wrong name', () => {
  assert.throws(() => readGatewayRule('tombstones', 'sandbox'), /must be one of/)
  assert.throws(() => readBankRule({ BANK_TEST_BREAKS: 'late_approval_ignored' }), /must be one of/)
})

test('without the setting nothing stands in front of the bank', () => {
  const answer = () => Promise.resolve(null)
  assert.equal(readBankRule({ MODE: 'production' })(answer, null as never), answer)
  const ports = { payments: null, processor: null, advices: null } as never
  assert.equal(readGatewayRule(undefined, 'production')(ports), ports)
})
