import { mayDo, ROLES, type Role } from '@tollgate/portal-contract/rights'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../../../../test/support/properties.ts'
import {
  decideChange,
  decideInvitation,
  decideReset,
  type HeldPortalUser,
} from '../../../../src/portal/users/domain/portal-user-decisions.ts'
import { exceedsLimit } from '../../../../src/portal/users/domain/refund-limit-rules.ts'

const LIMIT = { minor: 1_000n, currency: 'USD' }
const HIGHER = { minor: 1_001n, currency: 'USD' }
const FOREIGN = { minor: 1n, currency: 'EUR' }
const ADMIN = { role: 'admin', refundLimit: LIMIT } as const
const ANNA: HeldPortalUser = {
  id: 2n,
  email: 'anna@shop.example',
  role: 'finance',
  refundLimit: LIMIT,
  active: true,
  idle: false,
}
const NEW = { email: 'new@shop.example', name: 'New' }

const role = fc.constantFrom(...(Object.keys(ROLES) as Role[]))
const limit = fc.option(
  fc.record({ minor: fc.bigInt(0n, 5_000n), currency: fc.constantFrom('USD', 'EUR') }),
)

suite('the refund limit of a user who changes others', () => {
  test('an invitation never gives more than the limit of its creator', () => {
    const invite = (refundLimit: typeof LIMIT | null, as: Role = 'finance') =>
      decideInvitation(ADMIN, { ...NEW, role: as, refundLimit })?.code ?? null
    assert.equal(invite(LIMIT), null)
    assert.equal(invite(HIGHER), 'refund_limit')
    assert.equal(invite(null), 'refund_limit')
    assert.equal(invite(FOREIGN), 'refund_limit')
    // A developer refunds nothing, with a limit or without.
    assert.equal(invite(null, 'developer'), null)
    assert.equal(
      decideInvitation(
        { role: 'admin', refundLimit: null },
        { ...NEW, role: 'admin', refundLimit: null },
      ),
      null,
    )
  })

  test('a new role gives no refunds without the limit of the user who assigns it', () => {
    const developer = { ...ANNA, role: 'developer', refundLimit: null } as const
    const promoted = decideChange(ADMIN, developer, { role: 'finance', refundLimit: null })
    assert.match(promoted?.faults.join() ?? '', /at most 10\.00 USD/)
    assert.equal(decideChange(ADMIN, developer, { role: 'finance', refundLimit: LIMIT }), null)
    const free = { ...ANNA, refundLimit: null }
    assert.equal(decideChange(ADMIN, free, { role: 'read_only', refundLimit: null }), null)
    assert.equal(decideChange(ADMIN, free, { role: 'finance', refundLimit: null }), null)
  })

  test('no user is reset by one with a lower limit', () => {
    assert.equal(decideReset(ADMIN, ANNA), null)
    for (const refundLimit of [HIGHER, FOREIGN, null]) {
      assert.equal(decideReset(ADMIN, { ...ANNA, refundLimit })?.code, 'refund_limit')
    }
  })

  test('no sequence of changes by a limited user lets the changed user refund more', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(role, limit), { maxLength: 8 }), (changes) => {
        let anna = { ...ANNA, role: 'support' as Role }
        for (const [to, refundLimit] of changes) {
          const becomes = { role: to, refundLimit }
          if (decideChange(ADMIN, anna, becomes) === null) anna = { ...anna, ...becomes }
          const { refundLimit: own } = anna
          const isWithin = own?.currency === 'USD' && own.minor <= LIMIT.minor
          assert.ok(isWithin || !mayDo(anna.role, 'orders.refund'))
          assert.equal(exceedsLimit(LIMIT, anna), false)
        }
      }),
    )
  })
})
