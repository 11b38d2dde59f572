import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SandboxOperation } from '../../../src/domain/sandbox/sandbox-operation.ts'
import type { Site } from '../../../src/usecases/merchants/merchant-directory.ts'
import type { OperationDeps } from '../../../src/usecases/sandbox/operation-ports.ts'
import { createPerformOperation } from '../../../src/usecases/sandbox/perform-operation.ts'

/** Every use of a port fails the test. */
const UNUSED = new Proxy({} as OperationDeps, {
  get: (_, name) => assert.fail(`an operation at a live site used ${String(name)}`),
})

test('no operation is done at a live site, and none reaches the bank', async () => {
  const performOperation = createPerformOperation(UNUSED, () =>
    assert.fail('a refused operation was recorded'),
  )
  const site = { id: 1001n, merchantId: 1n, mode: 'live' } as Site
  const operations: readonly SandboxOperation[] = [
    { operation: 'close-batch', accountId: null },
    { operation: 'settle', accountId: null },
    { operation: 'reject', transactionId: 1n },
    { operation: 'report-fraud', orderId: 1n, amount: null },
    { operation: 'win-dispute', disputeId: 1n },
    { operation: 'expire-authorization', orderId: 1n },
    { operation: 'charge-membership', membershipId: 1n, bankTest: null },
  ]

  for (const one of operations) {
    const result = await performOperation(site, one, { actor: 'api:ada' })
    assert.ok(!result.ok)
    assert.deepEqual([result.kind, result.code], ['forbidden', 'live_site'])
    assert.match(result.faults[0] ?? '', /^Site 1001 is in live mode\./)
  }
})

test('words of a test are refused where an account of the site reaches another bank', async () => {
  const performOperation = createPerformOperation(UNUSED, () =>
    assert.fail('a refused operation was recorded'),
  )
  const merchantAccounts = [{ id: 2001n, linkId: 5n, mode: 'test' }]
  const site = { id: 1001n, merchantId: 1n, mode: 'test', merchantAccounts } as unknown as Site
  const asked = { operation: 'charge-membership', membershipId: 1n, bankTest: 'de39=51' } as const

  const result = await performOperation(site, asked, { actor: 'api:ada' })

  assert.ok(!result.ok)
  assert.deepEqual([result.kind, result.field], ['invalid', 'test'])
})
