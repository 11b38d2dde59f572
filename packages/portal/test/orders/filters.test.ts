import type { SessionView } from '@tollgate/portal-contract/answers/shell'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { chipsOf, filtersOf } from '../../src/orders/filters.ts'

const session = { sites: [{ id: '7001', name: 'Main shop' }] } as unknown as SessionView
const filters = filtersOf('orders', session, undefined)

/** The options of one filter, as `value: label`. */
function optionsOf(name: string, list: 'orders' | 'transactions' = 'orders'): string[] {
  const filter = filtersOf(list, session, undefined).find((each) => each.name === name)
  return (filter?.options ?? []).map(({ value, label }) => `${value}: ${label}`)
}

suite('the filters of a list', () => {
  test('offer sites by name, and reasons without the codes of success', () => {
    assert.deepEqual(optionsOf('site'), ['7001: Main shop', 'unclocked: All without a test clock'])
    const codes = optionsOf('reason').map((text) => Number(text.split(':')[0]))
    assert.ok(codes.includes(635))
    assert.ok(codes.every((code) => code >= 150))
  })

  test('offer payments without 3-D Secure first', () => {
    assert.equal(optionsOf('threeDs')[0], 'none: without')
  })

  test('of orders and of transactions have statuses of their own', () => {
    assert.notDeepEqual(optionsOf('status'), optionsOf('status', 'transactions'))
  })

  test('of transactions have what counts in sums and months of settlement, of orders not', () => {
    assert.deepEqual(optionsOf('counted'), [])
    assert.deepEqual(
      optionsOf('counted', 'transactions').map((text) => text.split(':')[0]),
      ['approved', 'declined', 'failed', 'refunded'],
    )
    const names = (list: 'orders' | 'transactions') =>
      filtersOf(list, session, undefined).map(({ name }) => name)
    assert.deepEqual(
      [names('orders'), names('transactions')].map((all) => all.includes('settled')),
      [false, true],
    )
  })

  test('offer no currency, account or user before the choices are loaded', () => {
    for (const name of ['currency', 'account', 'user']) assert.deepEqual(optionsOf(name), [])
    const choices = { currencies: ['EUR'], accounts: [{ id: '1', name: 'Euro' }], users: ['shop'] }
    const loaded = filtersOf('orders', session, choices as never)
    const found = loaded.filter(({ name }) => ['currency', 'account', 'user'].includes(name))
    assert.deepEqual(
      found.map(({ options }) => options?.[0]?.label),
      ['EUR', 'Euro', 'shop'],
    )
  })
})

suite('the chosen filters of a list', () => {
  test('stand one by one, and each is removed without the others', () => {
    assert.deepEqual(chipsOf({ brand: 'Visa,JCB' }, filters), [
      { title: 'Card brand', text: 'Visa', without: { brand: 'JCB' } },
      { title: 'Card brand', text: 'JCB', without: { brand: 'Visa' } },
    ])
  })

  test('show the label of a value, and an unknown value as it is', () => {
    const texts = chipsOf({ site: '7001', batch: '12', account: '99' }, filters)
    assert.deepEqual(
      texts.map(({ title, text }) => `${title}: ${text}`),
      ['Site: Main shop', 'Merchant account: 99', 'Batch: 12'],
    )
  })

  test('begin with the search, the time and the amount', () => {
    const search = { q: 'ada', time: 'today', min: '1', max: '2', currency: 'EUR' }
    assert.deepEqual(
      chipsOf(search, filters).map(({ title }) => title),
      ['Search', 'Time', 'Amount', 'Currency'],
    )
  })

  test('show moments in the time of the list, and are removed together', () => {
    const search = { since: '2026-11-01T00:00:00Z', until: 'noon' }
    assert.deepEqual(chipsOf(search, filters), [
      {
        title: 'Time',
        text: '2026-11-01 00:00:00 UTC to noon',
        without: { since: null, until: null },
      },
    ])
    assert.deepEqual(
      chipsOf({ until: '2026-11-01T00:00:00Z' }, filters).map(({ text }) => text),
      ['up to 2026-11-01 00:00:00 UTC'],
    )
  })

  test('name days and amounts that are open on one side', () => {
    const text = (search: Parameters<typeof chipsOf>[0]) =>
      chipsOf(search, filters).map((chip) => chip.text)
    assert.deepEqual(text({ from: '2026-11-01' }), ['days from 2026-11-01'])
    assert.deepEqual(text({ to: '2026-11-02' }), ['days up to 2026-11-02'])
    assert.deepEqual(text({ from: '2026-11-01', to: '2026-11-02' }), [
      'days 2026-11-01 to 2026-11-02',
    ])
    assert.deepEqual(text({ min: '5' }), ['from 5'])
    assert.deepEqual(text({ max: '9' }), ['up to 9'])
  })

  test('leave days out beside a period, and remove both ends of a range at once', () => {
    const chips = chipsOf({ time: '7 days', from: '2026-11-01' }, filters)
    assert.deepEqual(chips, [{ title: 'Time', text: '7 days', without: { time: null } }])
    const [range] = chipsOf({ from: '2026-11-01' }, filters)
    assert.deepEqual(range?.without, { from: null, to: null })
  })
})
