import {
  CONSOLE_ROLES,
  mayOperate,
  type ConsoleRole,
} from '@tollgate/portal-contract/console-rights'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  opensCountries,
  raisesLimit,
} from '../../../../src/portal/console/domain/changed-limits.ts'
import {
  decideOperatorInvitation,
  decideTouchingOperator,
  resetNeedsSecond,
  type HeldOperator,
} from '../../../../src/portal/console/domain/operator-changes.ts'
import {
  decideRequestApproval,
  decideRequestWithdrawal,
  rightOf,
  subjectOf,
  type DangerousOperation,
  type OperatorRequest,
  type RequestDecider,
} from '../../../../src/portal/console/domain/operator-request.ts'

const ROLES = Object.keys(CONSOLE_ROLES) as ConsoleRole[]
const OPERATIONS: readonly DangerousOperation[] = [
  { does: 'disable_merchant', merchantId: 7n, reason: 'stolen cards' },
  { does: 'raise_limit', accountId: 3n, currency: 'EUR', paymentMinor: 5n, dayMinor: null },
  { does: 'open_countries', accountId: 3n, countries: null },
  { does: 'set_role', operatorId: 9n, role: 'admin' },
  { does: 'reset_operator', operatorId: 9n },
]
const SECOND: RequestDecider = { id: 2n, sessionId: 22n, role: 'owner' }
const FACTS = { requesterRole: 'owner', hasFreshLink: false } as const

function requestOf(operation: DangerousOperation, more: Partial<OperatorRequest> = {}) {
  return {
    id: 1n,
    operation,
    subject: subjectOf(operation),
    seen: '',
    state: 'open',
    requestedBy: 1n,
    requesterSession: 11n,
    isOver: false,
    ...more,
  } as const
}

test('an operation is approved by another operator with its right, in another session, and not about themselves', () => {
  for (const operation of OPERATIONS) {
    const request = requestOf(operation)
    for (const role of [...ROLES, null]) {
      const may = role !== null && mayOperate(role, rightOf(operation))
      const as = decideRequestApproval(request, { ...SECOND, role }, FACTS)
      assert.equal(as === null, may, `${operation.does} as ${role}`)
      const asked = decideRequestApproval(request, SECOND, { ...FACTS, requesterRole: role })
      assert.equal(asked === null, may, `${operation.does} asked by ${role}`)
      if (!may) assert.equal(asked?.ends, 'void')
    }
    for (const refused of [
      decideRequestApproval(request, { ...SECOND, id: 1n }, FACTS),
      decideRequestApproval(request, { ...SECOND, sessionId: 11n }, FACTS),
      decideRequestApproval(request, SECOND, { ...FACTS, hasFreshLink: true }),
      decideRequestApproval(requestOf(operation, { state: 'approved' }), SECOND, FACTS),
    ]) {
      assert.equal(refused?.ends, null, operation.does)
    }
    const over = decideRequestApproval(requestOf(operation, { isOver: true }), SECOND, FACTS)
    assert.equal(over?.ends, 'expired')
    const isSubject = subjectOf(operation) === 'operator 9'
    const about = decideRequestApproval(request, { ...SECOND, id: 9n }, FACTS)
    assert.equal(about === null, !isSubject, operation.does)
  }
})

test('only the operator who made a request withdraws it', () => {
  const request = requestOf({ does: 'set_role', operatorId: 9n, role: 'admin' })
  assert.equal(decideRequestWithdrawal(request, { ...SECOND, id: 1n }), null)
  assert.notEqual(decideRequestWithdrawal(request, SECOND), null)
})

test('a limit is raised by a higher amount and by none, and not by a first or a lower one', () => {
  const limit = (paymentMinor: bigint | null, dayMinor: bigint | null) => ({
    paymentMinor,
    dayMinor,
  })
  const before = limit(500n, 9_000n)
  for (const raised of [
    limit(501n, 9_000n),
    limit(500n, 9_001n),
    limit(null, 9_000n),
    limit(500n, null),
  ]) {
    assert.equal(raisesLimit(before, raised), true)
  }
  for (const kept of [before, limit(499n, 9_000n), limit(500n, 1n)]) {
    assert.equal(raisesLimit(before, kept), false)
  }
  assert.equal(raisesLimit(undefined, limit(500n, 9_000n)), false)
  assert.equal(raisesLimit(limit(null, 9_000n), limit(500n, 9_000n)), false)
})

test('an owner invites viewers, a command invites every role, and no other role invites', () => {
  const wanted = { email: 'nora@ops.example', name: 'Nora' }
  for (const role of ROLES) {
    const by = (acting: ConsoleRole | null) =>
      decideOperatorInvitation({ id: 1n, role: acting }, { ...wanted, role })
    assert.equal(by('owner') === null, role === 'viewer', role)
    for (const other of ['admin', 'viewer', null] as const) assert.notEqual(by(other), null)
    assert.equal(decideOperatorInvitation({ id: null, role: 'owner' }, { ...wanted, role }), null)
  }
})

test('no operator changes their own role or state, and a command changes everyone', () => {
  const held: HeldOperator = {
    id: 1n,
    email: 'olga@ops.example',
    name: 'Olga',
    role: 'owner',
    active: true,
    idle: false,
    passwordHash: 'hash',
  }
  assert.notEqual(decideTouchingOperator({ id: 1n, role: 'owner' }, held), null)
  assert.equal(decideTouchingOperator({ id: 2n, role: 'owner' }, held), null)
  assert.equal(decideTouchingOperator({ id: null, role: 'owner' }, held), null)
  assert.equal(decideTouchingOperator({ id: 2n, role: 'owner' }, null)?.kind, 'missing')
  assert.equal(resetNeedsSecond({ ...held, role: 'viewer', passwordHash: null }, true), false)
  for (const other of [
    resetNeedsSecond({ ...held, role: 'viewer' }, true),
    resetNeedsSecond({ ...held, role: 'viewer', passwordHash: null }, false),
    resetNeedsSecond({ ...held, role: 'admin', passwordHash: null }, true),
  ]) {
    assert.equal(other, true)
  }
})

test('a rule of countries needs a second operator where it takes one that was refused', () => {
  const allow = (...codes: string[]) => ({ rule: 'allow', codes }) as const
  const refuse = (...codes: string[]) => ({ rule: 'refuse', codes }) as const
  const opens = [
    [allow('DE'), null],
    [refuse('US'), null],
    [allow('DE'), allow('AT')],
    [allow('DE'), refuse('DE')],
    [refuse('US', 'KP'), refuse('KP')],
    [refuse('US'), allow('US')],
  ] as const
  const closes = [
    [null, allow('DE')],
    [null, refuse('US')],
    [allow('DE', 'AT'), allow('AT')],
    [refuse('US'), refuse('US', 'KP')],
    [refuse('US'), allow('DE')],
  ] as const
  for (const [before, after] of opens) assert.ok(opensCountries(before, after))
  for (const [before, after] of closes) assert.ok(!opensCountries(before, after))
})
