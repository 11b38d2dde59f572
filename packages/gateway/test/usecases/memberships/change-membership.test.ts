import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Membership } from '../../../src/domain/memberships/membership.ts'
import {
  createChangeMembership,
  type ChangeMembershipDeps,
  type MembershipCommand,
} from '../../../src/usecases/memberships/change-membership.ts'
import type { StoredMembership } from '../../../src/usecases/memberships/membership-store.ts'
import type { Site } from '../../../src/usecases/merchants/merchant-directory.ts'
import { CommitUnknownError } from '../../../src/usecases/payments/learn-truth.ts'
import { monthly, underCharge, utc } from '../../domain/memberships/a-membership.ts'

const SITE = {
  id: 1001n,
  mode: 'test',
  clock: { now: () => utc('2026-02-28 09:00') },
} as unknown as Site
const CANCEL: MembershipCommand = {
  kind: 'cancel',
  when: 'at_rebill',
  site: SITE,
  membershipId: 5000n,
  customerId: null,
}

function stored(membership: Membership, version: bigint): StoredMembership {
  return {
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
    version,
    membership,
  }
}

/** A store that shows one state after the other, and returns the writes. */
function changing(
  seen: readonly StoredMembership[],
  change: (attempt: number) => Promise<boolean>,
): {
  readonly deps: ChangeMembershipDeps
  readonly written: { version: bigint; membership: Membership }[]
} {
  const written: { version: bigint; membership: Membership }[] = []
  let reads = 0
  const deps: ChangeMembershipDeps = {
    store: {
      find: async () => seen[Math.min(reads++, seen.length - 1)] ?? null,
      change: async ({ version }, membership) => {
        written.push({ version, membership })
        return change(written.length)
      },
    },
    products: { findProduct: async () => null },
    cards: { findSavedCard: async () => null },
    vault: { isReadable: () => true },
    monotonicMs: () => 0,
    pause: async () => undefined,
  }
  return { deps, written }
}

test("a request that a renewal overtakes is decided again on the renewal's result", async () => {
  const { deps, written } = changing(
    [stored(monthly(), 1n), stored(underCharge(), 2n)],
    async (attempt) => attempt > 1,
  )
  const result = await createChangeMembership(deps)(CANCEL)
  assert.equal(result.kind, 'done')
  assert.deepEqual(
    written.map(({ version }) => version),
    [1n, 2n],
  )
  // The charge under way is still known, and the month that it pays for is kept.
  assert.notEqual(written[1]?.membership.renewal, null)
  assert.deepEqual(written[1]?.membership.next, { kind: 'cancel', at: utc('2026-03-31 08:00') })
})

test('a change whose answer was lost is found if it was written', async () => {
  const before = stored(monthly(), 1n)
  const seen: StoredMembership[] = [before]
  const { deps, written } = changing(seen, async (attempt) => {
    if (attempt > 1) return false
    const membership = written[0]?.membership
    assert.ok(membership)
    seen.push(stored(structuredClone(membership), 2n))
    throw new CommitUnknownError(new Error('cut'))
  })
  const result = await createChangeMembership(deps)(CANCEL)
  assert.equal(result.kind, 'done')
  assert.equal(written.length, 2)
})

test("a change whose answer was lost is decided again after another user's change", async () => {
  const { deps, written } = changing(
    [stored(monthly(), 1n), stored(underCharge(), 2n)],
    async (attempt) => {
      if (attempt === 1) throw new CommitUnknownError(new Error('cut'))
      return attempt > 2
    },
  )
  const result = await createChangeMembership(deps)(CANCEL)
  assert.equal(result.kind, 'done')
  assert.deepEqual(
    written.map(({ version }) => version),
    [1n, 1n, 2n],
  )
})

test('a request that is fulfilled already writes nothing', async () => {
  const scheduled = { ...monthly(), state: 'cancel_scheduled' } as const
  const { deps, written } = changing([stored(scheduled, 3n)], async () => true)
  const result = await createChangeMembership(deps)(CANCEL)
  assert.equal(result.kind, 'done')
  assert.equal(written.length, 0)
})
