import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingChange } from '../../../src/domain/events/setting-change.ts'

const change = {
  operation: 'site.settings_set',
  object: 'site 1001',
  isDone: true,
  settings: ['name'],
  actor: 'portal:owner@tollgate.test',
}

test('an audited change of a site is a fact with the names of the settings', () => {
  assert.deepEqual(settingChange(change), {
    type: 'site.changed',
    siteId: 1001n,
    content: {
      mode: null,
      origin: 'PORTAL',
      data: { operation: 'site.settings_set', settings: ['name'] },
    },
  })
})

test('an audited change of an API user is a fact of the operator or of a portal user', () => {
  const made = settingChange({
    ...change,
    operation: 'user.made',
    object: 'api user shop#2',
    actor: 'operator:root@host',
  })
  assert.ok(made?.type === 'api_user.changed')
  assert.deepEqual([made.name, made.content.origin], ['shop#2', 'OPERATOR'])
})

for (const [what, other] of [
  ['a refused change', { isDone: false }],
  ['a request to go live', { operation: 'site.go_live_requested' }],
  ['a moved test clock', { operation: 'site.clock_changed' }],
  ['a failed login of an API user', { operation: 'login.failed', object: 'api user shop' }],
  ['a refund of an order', { operation: 'order.refunded', object: 'order 1' }],
] as const) {
  test(`${what} is no change of a setting`, () => {
    assert.equal(settingChange({ ...change, ...other }), null)
  })
}
