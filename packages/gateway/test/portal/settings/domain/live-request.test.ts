import type { Role } from '@tollgate/portal-contract/rights'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ModeDifference } from '../../../../src/portal/settings/domain/going-live.ts'
import {
  decideApproval,
  decideNewRequest,
  decideRefusal,
  decideWithdrawal,
  withLeftBehind,
  type ActingUser,
  type LiveRequest,
} from '../../../../src/portal/settings/domain/live-request.ts'

const OPEN: LiveRequest = {
  id: 7n,
  wantedMode: 'live',
  state: 'open',
  digest: 'seen',
  requestedBy: 1n,
  requesterSession: 10n,
  isOver: false,
}
const APPROVER: ActingUser = { id: 2n, sessionId: 20n, role: 'admin' }
const FACTS = {
  requesterRole: 'owner',
  cameInOfLate: false,
  listing: { to: 'live', digest: 'seen' },
} as const

const line = (level: ModeDifference['level'], title: string): ModeDifference => ({
  key: title,
  level,
  title,
  text: '',
})

type Facts = Parameters<typeof decideApproval>[2]
const approve = (
  request: Partial<LiveRequest> | null,
  requester: Partial<ActingUser> = {},
  facts: Partial<Facts> = {},
) =>
  decideApproval(
    request === null ? null : { ...OPEN, ...request },
    { ...APPROVER, ...requester },
    { ...FACTS, ...facts },
  )

suite('the right to approve that a site goes live', () => {
  test('a second user with the right approves an unchanged list', () => {
    assert.equal(approve({}), null)
    assert.equal(approve({}, { role: 'owner' }), null)
  })

  const refusals: readonly (readonly [
    name: string,
    decided: ReturnType<typeof approve>,
    kind: string,
    ends: 'void' | 'expired' | null,
    fault: RegExp,
  ])[] = [
    ['no request', approve(null), 'missing', null, /does not exist/],
    ['one that was decided', approve({ state: 'refused' }), 'conflict', null, /already refused/],
    ['one of yesterday', approve({ isOver: true }), 'conflict', 'expired', /expired after/],
    ['their own', approve({}, { id: 1n }), 'forbidden', null, /Another user/],
    ['one of their session', approve({}, { sessionId: 10n }), 'forbidden', null, /Another user/],
    ['a role without the right', approve({}, { role: 'support' }), 'forbidden', null, /Your role/],
    ['a disabled portal user', approve({}, { role: null }), 'forbidden', null, /Your role/],
    [
      'an asker who no longer has the permission',
      approve({}, {}, { requesterRole: 'admin' }),
      'conflict',
      'void',
      /no longer has the permission/,
    ],
    [
      'an asker who was disabled',
      approve({}, {}, { requesterRole: null }),
      'conflict',
      'void',
      /no longer has the permission/,
    ],
    [
      'an approver who came in by a fresh link',
      approve({}, {}, { cameInOfLate: true }),
      'forbidden',
      null,
      /within the last 24 hours/,
    ],
    [
      'a list that has changed',
      approve({}, {}, { listing: { to: 'live', digest: 'other' } }),
      'conflict',
      'void',
      /changed after/,
    ],
    [
      'a site that was moved meanwhile',
      approve({}, {}, { listing: { to: 'test', digest: 'seen' } }),
      'conflict',
      'void',
      /changed after/,
    ],
    [
      'a site that is gone',
      approve({}, {}, { listing: null }),
      'missing',
      null,
      /site does not exist/,
    ],
  ]
  for (const [name, decided, kind, ends, fault] of refusals) {
    test(`it is not approved: ${name}`, () => {
      assert.ok(decided !== null)
      assert.deepEqual([decided.refusal.kind, decided.ends], [kind, ends])
      assert.match(decided.refusal.faults.join(' '), fault)
    })
  }

  test('the user who asked is refused before any change of the list is named', () => {
    const decided = approve({}, { id: 1n }, { requesterRole: null, listing: null })
    assert.match(decided?.refusal.faults.join() ?? '', /You made this request/)
  })
})

suite('the right to refuse and withdraw a request to go live', () => {
  test('a second user refuses, and the one who asked does not', () => {
    assert.equal(decideRefusal(OPEN, APPROVER), null)
    assert.equal(decideRefusal(OPEN, { ...APPROVER, id: 1n })?.refusal.kind, 'forbidden')
    assert.equal(decideRefusal({ ...OPEN, isOver: true }, APPROVER)?.ends, 'expired')
  })

  const owner = { id: 1n, role: 'owner' as Role | null }
  test('the user who made an open request withdraws it', () => {
    assert.equal(decideWithdrawal(OPEN, owner), null)
  })

  test('no user withdraws a request of another user, a closed one, or a missing one', () => {
    assert.equal(decideWithdrawal(OPEN, { ...owner, id: 2n })?.kind, 'forbidden')
    assert.equal(decideWithdrawal({ ...OPEN, state: 'approved' }, owner)?.kind, 'conflict')
    assert.equal(decideWithdrawal(null, owner)?.kind, 'missing')
    assert.equal(decideWithdrawal(OPEN, { ...owner, role: 'finance' })?.kind, 'forbidden')
  })
})

suite('the right to ask that a site goes live', () => {
  const listing = { digest: 'seen', lines: [line('care', 'Payments are real')] }

  test('an owner asks with the list that they have seen, where nothing blocks it', () => {
    assert.equal(decideNewRequest({ role: 'owner' }, listing, 'seen'), null)
  })

  test('an admin does not ask', () => {
    assert.equal(decideNewRequest({ role: 'admin' }, listing, 'seen')?.kind, 'forbidden')
  })

  test('a request that was made from another list is out of date', () => {
    const refusal = decideNewRequest({ role: 'owner' }, listing, 'older')
    assert.deepEqual([refusal?.kind, refusal?.code], ['conflict', 'changed_meanwhile'])
  })

  test('every line that blocks is named, and no other', () => {
    const lines = [line('blocks', 'No account'), line('blocks', 'Link down'), ...listing.lines]
    const refusal = decideNewRequest({ role: 'owner' }, { ...listing, lines }, 'seen')
    assert.deepEqual([refusal?.kind, refusal?.faults], ['conflict', ['No account.', 'Link down.']])
  })

  test('lines about left-behind orders come before lines that are only good to know', () => {
    const order = (lines: readonly ModeDifference[]) =>
      withLeftBehind(lines, [line('care', 'left')]).map(({ title }) => title)
    assert.deepEqual(order([line('care', 'a'), line('info', 'b')]), ['a', 'left', 'b'])
    assert.deepEqual(order([line('care', 'a')]), ['a', 'left'])
  })
})
