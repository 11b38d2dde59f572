import { ROLES, type Role } from '@tollgate/portal-contract/rights'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decideInvitation,
  decideLastOwner,
  decidePortalUserActive,
  decideReset,
  decideTouching,
  heldState,
  type HeldPortalUser,
} from '../../../../src/portal/users/domain/portal-user-decisions.ts'

const ANNA: HeldPortalUser = {
  id: 2n,
  email: 'anna@shop.example',
  role: 'support',
  refundLimit: null,
  active: true,
  idle: false,
}
const OWNER: HeldPortalUser = { ...ANNA, role: 'owner' }
const NEW = { email: 'new@shop.example', name: 'New', role: 'support' as Role, refundLimit: null }

suite('the right to change portal users', () => {
  test('owners and admins change portal users, and users without that role do not', () => {
    for (const role of Object.keys(ROLES) as Role[]) {
      const may = role === 'owner' || role === 'admin'
      assert.equal(
        decideTouching({ id: 1n, role, refundLimit: null }, ANNA, null) === null,
        may,
        role,
      )
      assert.equal(decideInvitation({ role, refundLimit: null }, NEW) === null, may, role)
    }
    assert.equal(
      decideTouching({ id: 1n, role: null, refundLimit: null }, ANNA, null)?.kind,
      'forbidden',
    )
    assert.equal(decideInvitation({ role: null, refundLimit: null }, NEW)?.kind, 'forbidden')
  })

  test('an admin neither makes nor changes an owner', () => {
    const admin = { id: 1n, role: 'admin', refundLimit: null } as const
    assert.equal(decideTouching(admin, ANNA, 'owner')?.kind, 'forbidden')
    assert.equal(decideTouching(admin, OWNER, null)?.kind, 'forbidden')
    assert.equal(
      decideInvitation({ role: 'admin', refundLimit: null }, { ...NEW, role: 'owner' })?.kind,
      'forbidden',
    )
    assert.equal(
      decideInvitation({ role: 'owner', refundLimit: null }, { ...NEW, role: 'owner' }),
      null,
    )
  })

  test('no user changes their own account or a missing one', () => {
    assert.equal(
      decideTouching({ id: 2n, role: 'owner', refundLimit: null }, ANNA, null)?.kind,
      'forbidden',
    )
    assert.equal(
      decideTouching({ id: 1n, role: 'owner', refundLimit: null }, null, null)?.kind,
      'missing',
    )
  })

  test('a wrong address and a wrong name are refused at their fields', () => {
    const refusal = (change: Partial<typeof NEW>) =>
      decideInvitation({ role: 'owner', refundLimit: null }, { ...NEW, ...change })
    assert.deepEqual(refusal({ email: 'new' })?.field, 'email')
    assert.deepEqual(refusal({ name: '' })?.field, 'name')
  })
})

suite('a merchant keeps an owner who is active', () => {
  test('the last owner is neither disabled nor given another role', () => {
    assert.equal(decideLastOwner(OWNER, { role: 'admin', active: true }, 0)?.kind, 'conflict')
    assert.equal(decideLastOwner(OWNER, { role: 'owner', active: false }, 0)?.kind, 'conflict')
  })

  test('changes of another owner, of something else, and of a user who is no owner are allowed', () => {
    assert.equal(decideLastOwner(OWNER, { role: 'admin', active: false }, 1), null)
    assert.equal(decideLastOwner(OWNER, { role: 'owner', active: true }, 0), null)
    assert.equal(decideLastOwner(ANNA, { role: 'admin', active: false }, 0), null)
    const disabled = { ...OWNER, active: false }
    assert.equal(decideLastOwner(disabled, { role: 'admin', active: false }, 0), null)
  })
})

suite('the state of a portal user', () => {
  const states = [
    ANNA,
    { ...ANNA, idle: true },
    { ...ANNA, active: false },
    { ...ANNA, active: false, idle: true },
  ]

  test('a disabled user does not count as idle', () => {
    assert.deepEqual(states.map(heldState), ['active', 'idle', 'disabled', 'disabled'])
  })

  test('only a change of state is made, and an idle user may be enabled and disabled', () => {
    const refused = (active: boolean) =>
      states.map((portalUser) => decidePortalUserActive(portalUser, active)?.kind ?? null)
    assert.deepEqual(refused(true), ['conflict', null, null, null])
    assert.deepEqual(refused(false), [null, null, 'conflict', 'conflict'])
  })

  test('a disabled user gets no link', () => {
    const free = { refundLimit: null }
    assert.equal(decideReset(free, ANNA), null)
    assert.equal(decideReset(free, { ...ANNA, active: false })?.kind, 'conflict')
  })
})
