import { ROLES, type Role } from '@tollgate/portal-contract/rights'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decidePeerApproval,
  decidePeerInvitation,
  decidePeerRefusal,
  decidePeerWithdrawal,
  decideSwitch,
  isOnPeer,
  seenState,
  type Decider,
  type PeerRequest,
} from '../../../../src/portal/users/domain/peer-approval.ts'

const HELD = {
  id: 3n,
  email: 'carl@shop.example',
  role: 'admin' as Role,
  refundLimit: { minor: 500n, currency: 'USD' },
  active: true,
  idle: false,
}
const REQUEST: PeerRequest = {
  id: 9n,
  portalUserId: 3n,
  operation: { does: 'reset' },
  seen: seenState(HELD),
  state: 'open',
  requestedBy: 1n,
  requesterSession: 11n,
  isOver: false,
}
const SECOND: Decider = { id: 2n, sessionId: 22n, role: 'admin' }
const FACTS = { requesterRole: 'admin' as Role, hasFreshLink: false, seen: seenState(HELD) }

const approvalOf = (
  request: Partial<PeerRequest>,
  by: Partial<Decider> = {},
  facts: Partial<Parameters<typeof decidePeerApproval>[2]> = {},
) => {
  const fault = decidePeerApproval(
    { ...REQUEST, ...request },
    { ...SECOND, ...by },
    {
      ...FACTS,
      ...facts,
    },
  )
  return fault === null ? 'approved' : `${fault.refusal.kind} ${fault.ends}`
}

suite('a change of a user with equal rank', () => {
  test('equal rank is the same role before or after the change, and no other', () => {
    for (const own of ['owner', 'admin'] as const) {
      for (const target of Object.keys(ROLES) as Role[]) {
        assert.equal(isOnPeer(own, target, { does: 'disable' }), own === target)
        const change = { does: 'change', role: own, refundLimit: null } as const
        assert.equal(isOnPeer(own, target, change), true)
      }
    }
    const lower = { does: 'change', role: 'finance', refundLimit: null } as const
    assert.equal(isOnPeer('admin', 'support', lower), false)
    assert.equal(isOnPeer(null, 'admin', { does: 'reset' }), false)
  })

  test('a user of equal rank is invited only where no second user approves', () => {
    assert.equal(decidePeerInvitation('admin', 'admin', true)?.code, 'needs_approval')
    assert.equal(decidePeerInvitation('admin', 'admin', false), null)
    assert.equal(decidePeerInvitation('owner', 'admin', true), null)
  })

  test('a second user approves or refuses, and neither the requester nor the subject does', () => {
    assert.equal(approvalOf({}), 'approved')
    assert.equal(approvalOf({}, { id: 1n }), 'forbidden null')
    assert.equal(approvalOf({}, { sessionId: 11n }), 'forbidden null')
    assert.equal(approvalOf({}, { id: 3n }), 'forbidden null')
    assert.equal(approvalOf({}, { role: 'support' }), 'forbidden null')
    assert.equal(approvalOf({}, { role: null }), 'forbidden null')
    assert.equal(decidePeerRefusal(REQUEST, SECOND), null)
    assert.equal(decidePeerRefusal(REQUEST, { ...SECOND, id: 3n })?.refusal.kind, 'forbidden')
  })

  test('a user with a link of the last day does not approve, and may refuse', () => {
    assert.equal(approvalOf({}, {}, { hasFreshLink: true }), 'forbidden null')
  })

  test('a request is void once its user changed or its requester lost the right', () => {
    assert.equal(approvalOf({}, {}, { requesterRole: 'support' }), 'conflict void')
    assert.equal(approvalOf({}, {}, { requesterRole: null }), 'conflict void')
    for (const change of [{ role: 'finance' as Role }, { refundLimit: null }, { active: false }]) {
      const seen = seenState({ ...HELD, ...change })
      assert.equal(approvalOf({}, {}, { seen }), 'conflict void')
    }
  })

  test('a request that is over or decided is not decided again', () => {
    assert.equal(approvalOf({ isOver: true }), 'conflict expired')
    assert.equal(approvalOf({ state: 'withdrawn' }), 'conflict null')
    const over = decidePeerWithdrawal({ ...REQUEST, isOver: true }, { ...SECOND, id: 1n })
    assert.equal(over?.ends, 'expired')
  })

  test('only the requester withdraws a request', () => {
    assert.equal(decidePeerWithdrawal(REQUEST, { ...SECOND, id: 1n }), null)
    assert.equal(decidePeerWithdrawal(REQUEST, SECOND)?.refusal.kind, 'forbidden')
  })

  test('the setting is switched by owners and admins, and never to what it is', () => {
    assert.equal(decideSwitch('admin', false, true), null)
    assert.match(decideSwitch('admin', true, true)?.faults[0] ?? '', / are already on\.$/)
    assert.match(decideSwitch('admin', false, false)?.faults[0] ?? '', / are already off\.$/)
    assert.equal(decideSwitch('support', false, true)?.kind, 'forbidden')
    assert.equal(decideSwitch(null, true, false)?.kind, 'forbidden')
  })
})
