import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breakBankRule } from '../../tools/torture/broken-bank-rules.ts'
import { breakGatewayRule } from '../../tools/torture/broken-gateway-rules.ts'
import { packageFolders, read, sourceFiles } from '../house/source-text.ts'

test('a rule that there is not is refused, so that no run is green for a wrong name', () => {
  assert.throws(() => breakGatewayRule('tombstones', {}), /must be one of persist_before_send/)
  assert.throws(() => breakBankRule('late_approval_ignored'), /must be one of tombstones/)
})

test('a rule is never broken by a gateway in production', () => {
  assert.throws(
    () => breakGatewayRule('persist_before_send', { MODE: 'production' }),
    /never broken where MODE is production/,
  )
})

test('no shipped program knows a setting that breaks a rule, or imports what breaks one', () => {
  assert.ok(packageFolders().length > 5)
  const knowing = sourceFiles().filter((path) =>
    /_TEST_BREAKS|TORTURE_BREAKS|broken-[a-z]+-(?:rules|main)|tools\/torture/.test(read(path)),
  )
  assert.deepEqual(knowing, [])
})
