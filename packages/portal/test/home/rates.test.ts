import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { linePoint, rateOf, rateText } from '../../src/home/rates.ts'

suite('the approval rate', () => {
  test('is the share of approved payments, and none where nothing was decided', () => {
    assert.equal(rateOf({ approved: 3, declined: 1 }), 0.75)
    assert.equal(rateOf({ approved: 0, declined: 2 }), 0)
    assert.equal(rateOf({ approved: 2, declined: 0 }), 1)
    assert.equal(rateOf({ approved: 0, declined: 0 }), null)
  })

  test('is rounded down, so that one decline of many payments is never 100 %', () => {
    assert.equal(rateText(5 / 6), '83.3 %')
    assert.equal(rateText(2 / 3), '66.6 %')
    assert.equal(rateText(0.9999), '99.9 %')
    assert.equal(rateText(9_999 / 10_000), '99.9 %')
    assert.equal(rateText(1), '100 %')
    assert.equal(rateText(0), '0.0 %')
    assert.equal(rateText(null), '–')
  })

  test('has a point in the chart from five payments on', () => {
    assert.equal(linePoint({ approved: 3, declined: 1 }), null)
    assert.equal(linePoint({ approved: 4, declined: 1 }), 80)
    assert.equal(linePoint({ approved: 0, declined: 5 }), 0)
    assert.equal(linePoint({ approved: 0, declined: 0 }), null)
  })
})
