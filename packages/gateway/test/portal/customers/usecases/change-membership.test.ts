import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../../src/base/clock.ts'
import type { Membership } from '../../../../src/domain/memberships/membership.ts'
import {
  createChangeMembershipInPortal,
  type MembershipRequest,
} from '../../../../src/portal/customers/usecases/change-membership.ts'
import type { MembershipOperation } from '../../../../src/portal/customers/usecases/memberships.ts'
import type { Site } from '../../../../src/usecases/merchants/merchant-directory.ts'
import { pastDue, utc } from '../../../domain/memberships/a-membership.ts'

const NOW = utc('2026-03-01 09:00')

/** The writes of a request about a membership that is past due. */
async function written(
  membership: Membership,
  request: MembershipRequest,
): Promise<{ operation: MembershipOperation; membership: Membership }[]> {
  const changes: { operation: MembershipOperation; membership: Membership }[] = []
  const change = createChangeMembershipInPortal({
    changeMembership: () => assert.fail('it is not for the payment address'),
    readCardHistory: async () => ({ brand: 'Visa', attempts: [], dataChangedAt: null }),
    operations: {
      find: async () => ({
        id: 5000n,
        merchantId: 1n,
        siteId: 1001n,
        mode: 'test',
        customerId: 9000n,
        merchantAccountId: 2001n,
        orderId: 600000n,
        orderLineId: 650000n,
        networkTransactionId: '1',
        reference: '',
        createdAt: utc('2026-01-31 08:00'),
        version: 2n,
        membership,
      }),
      findOperation: async () => null,
      operationsSince: async () => [],
      change: async (_, changed, operation) => {
        changes.push({ operation, membership: changed })
        return true
      },
    },
  })
  const result = await change({
    site: { id: 1001n, mode: 'test', clock: fixedClock(NOW) } as Site,
    membershipId: 5000n,
    key: '00000000-0000-4000-8000-000000000000',
    seen: 2n,
    requester: { merchantId: 1n, actor: 'portal:a@shop.test', address: '192.0.2.1' },
    request,
  })
  assert.equal(result.kind, 'done')
  return changes
}

suite('a portal user has a failed renewal retried', () => {
  test('a request for a retry that is due anyway changes nothing, and is written all the same', async () => {
    const due: Membership = { ...pastDue(), next: { kind: 'retry', at: utc('2026-03-01 08:59') } }
    const changes = await written(due, { kind: 'retry' })
    assert.deepEqual(
      changes.map(({ operation, membership }) => [operation.operation, membership]),
      [['membership.retried', due]],
    )
  })

  test('one that waits is brought forward to now', async () => {
    const changes = await written(
      { ...pastDue(), next: { kind: 'retry', at: utc('2026-03-03 08:00') } },
      { kind: 'retry' },
    )
    assert.deepEqual(
      changes.map(({ membership }) => membership.next),
      [{ kind: 'retry', at: NOW }],
    )
  })
})
