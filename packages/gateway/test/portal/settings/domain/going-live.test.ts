import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  differences,
  leftBehindLines,
  type ModeFacts,
  type AccountRoute,
} from '../../../../src/portal/settings/domain/going-live.ts'

const TEST_ROUTE: AccountRoute = {
  accountId: '2001',
  processorName: 'Test',
  link: null,
  linkUp: true,
  threeDs: true,
}
const LIVE_ROUTE: AccountRoute = {
  accountId: '3001',
  processorName: 'Acme',
  link: 'acme-live',
  linkUp: true,
  threeDs: true,
}

/** A site that may go live with only the lines of every site. */
const READY: ModeFacts = {
  from: 'test',
  to: 'live',
  routes: [{ currency: 'EUR', from: TEST_ROUTE, to: LIVE_ROUTE }],
  hasOwnClock: false,
  cardTesting: 'enforce',
  threeDsUnavailable: 'authorize',
  returnHosts: ['shop.example'],
  tokenOrigins: ['https://shop.example'],
  publishedTokenKey: false,
  publishedPortalUsers: [],
  apiUsers: { enabled: 1, published: [], fromEverywhere: [], idleDays: 0 },
  avsMode: 'T',
  cvvMode: 'I',
  cvvRequired: true,
  catalogue: { kind: 'strict', active: 2, defaultIsActive: true },
}

const keys = (change: Partial<ModeFacts>): string[] =>
  differences({ ...READY, ...change }).map(({ level, key }) => `${level} ${key}`)

suite('the differences when a site goes live', () => {
  test('a site that is ready gets the differences that all sites have, and no others', () => {
    assert.deepEqual(keys({}), [
      'care real_money',
      'care objects_of_test_mode',
      'info route',
      'info catalogue',
    ])
  })

  const added: readonly (readonly [what: string, change: Partial<ModeFacts>, line: string])[] = [
    [
      'no live account',
      { routes: [{ currency: 'EUR', from: TEST_ROUTE, to: null }] },
      'blocks no_account',
    ],
    [
      'a currency that no live account takes',
      { routes: [...READY.routes, { currency: 'USD', from: TEST_ROUTE, to: null }] },
      'blocks currencies_lost',
    ],
    [
      'a link that is down',
      { routes: [{ currency: 'EUR', from: TEST_ROUTE, to: { ...LIVE_ROUTE, linkUp: false } }] },
      'blocks link_down',
    ],
    ['a published token key', { publishedTokenKey: true }, 'blocks published_token_key'],
    [
      'a published password',
      { apiUsers: { ...READY.apiUsers, published: ['demo'] } },
      'blocks published_users',
    ],
    [
      'a portal user with a published password',
      { publishedPortalUsers: ['owner@shop.test'] },
      'blocks published_portal_users',
    ],
    ['a clock of its own', { hasOwnClock: true }, 'care own_clock'],
    [
      'an account without 3-D Secure',
      { routes: [{ currency: 'EUR', from: TEST_ROUTE, to: { ...LIVE_ROUTE, threeDs: false } }] },
      'care no_three_ds',
    ],
    ['origins of anybody', { tokenOrigins: ['*'] }, 'care any_origin'],
    ['no API user', { apiUsers: { ...READY.apiUsers, enabled: 0 } }, 'care no_user'],
    [
      'users from everywhere',
      { apiUsers: { ...READY.apiUsers, fromEverywhere: ['shop'] } },
      'care users_from_everywhere',
    ],
    ['idle days', { apiUsers: { ...READY.apiUsers, idleDays: 90 } }, 'info idle_days'],
    ['checks that decide nothing', { avsMode: 'F' }, 'care checks_off'],
    ['codes that are not required', { cvvRequired: false }, 'info cvv_not_required'],
    ['velocity rules that only watch', { cardTesting: 'watch' }, 'care card_testing'],
    ['return hosts of anybody', { returnHosts: [] }, 'info any_return_host'],
    [
      'a strict catalogue without its default product',
      { catalogue: { kind: 'strict', active: 1, defaultIsActive: false } },
      'care catalogue',
    ],
  ]
  for (const [what, change, line] of added) {
    test(`${what} is listed as "${line}"`, () => {
      assert.ok(keys(change).includes(line), keys(change).join())
      assert.ok(!keys({}).includes(line))
    })
  }

  test('the list for the move back leaves out live dangers, and warns that no real funds move', () => {
    const back = keys({
      from: 'live',
      to: 'test',
      tokenOrigins: ['*'],
      avsMode: 'F',
      cardTesting: 'off',
      routes: [{ currency: 'EUR', from: LIVE_ROUTE, to: TEST_ROUTE }],
    })
    assert.deepEqual(back, [
      'care no_real_money',
      'care objects_of_live_mode',
      'info route',
      'info catalogue',
    ])
  })

  test('the lines count what is left behind, and leave out zeros', () => {
    const lines = leftBehindLines('test', { openAuthorizations: 1, runningMemberships: 2 })
    assert.deepEqual(
      lines.map(({ title }) => title),
      ['1 open authorization of test mode', '2 active memberships of test mode'],
    )
    assert.deepEqual(leftBehindLines('test', { openAuthorizations: 0, runningMemberships: 0 }), [])
  })
})
