import { RIGHTS, type Right } from '@tollgate/portal-contract/rights'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { heldUsersFor, type HeldUser } from '../../../../src/portal/home/usecases/home.ts'
import {
  heldFault,
  markDetails,
  markingUser,
} from '../../../../src/portal/shell/domain/reset-mark.ts'

const UNTIL = new Date('2026-11-24T10:00:30Z')
const MARK = { by: 'admin@shop.example', heldUntil: UNTIL }

suite('a user who came in by the reset link of another user', () => {
  test('the link of a portal user marks, and that of an operator or an invitation does not', () => {
    assert.equal(markingUser('reset', 'portal:admin@shop.example'), 'admin@shop.example')
    assert.equal(markingUser('invitation', 'portal:admin@shop.example'), null)
    assert.equal(markingUser('reset', 'console:ops@host.example'), 'ops@host.example')
    assert.equal(markingUser('invitation', 'console:ops@host.example'), null)
    assert.equal(markingUser('reset', 'operator:root@host'), null)
  })

  test('every right that moves money or gives rights is held, and looking is not', () => {
    const held = (Object.keys(RIGHTS) as Right[]).filter((right) => heldFault(MARK, right) !== null)
    assert.deepEqual(held, [
      'orders.capture',
      'orders.void',
      'orders.refund',
      'orders.charge',
      'terminal.use',
      'customers.erase',
      'memberships.change',
      'batches.close',
      'disputes.answer',
      'sites.go_live',
      'sites.approve_live',
      'api_users.change',
      'portal_users.change',
    ])
    assert.equal(heldFault(MARK, null), null)
  })

  test('the refusal names the maker of the link, and the end of the hold', () => {
    const sentence = heldFault(MARK, 'orders.refund') ?? ''
    assert.match(sentence, /reset link from admin@shop\.example/)
    assert.match(sentence, /until 2026-11-24 10:00 UTC/)
  })

  test('after the hold the mark stays and holds nothing', () => {
    const over = { ...MARK, heldUntil: null }
    assert.equal(heldFault(over, 'orders.refund'), null)
    assert.deepEqual(markDetails(over), { came_in_by: 'admin@shop.example' })
    assert.equal(heldFault(null, 'orders.refund'), null)
    assert.deepEqual(markDetails(null), {})
  })

  test('owners see every held user, and others only themselves', () => {
    const user = (id: bigint): HeldUser => ({
      id,
      name: 'Pat',
      email: 'pat@shop.example',
      cameInBy: MARK.by,
      cameInAt: UNTIL,
      heldUntil: UNTIL,
    })
    const held = [user(1n), user(2n)]
    const idsFor = (role: 'owner' | 'admin') =>
      heldUsersFor({ id: 2n, role }, held).map(({ id }) => id)
    assert.deepEqual(idsFor('owner'), [1n, 2n])
    assert.deepEqual(idsFor('admin'), [2n])
  })
})
