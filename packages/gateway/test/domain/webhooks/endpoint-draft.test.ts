import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { doubledEndpoint, draftRefusal } from '../../../src/domain/webhooks/endpoint-draft.ts'

const RULES = { allowsLoopback: false, allowed: [], refused: [], ports: [443] }
const CARD = '4111111111111111'

suite('an endpoint as a merchant wants it', () => {
  const faultOf = (url: string, types: readonly string[]): unknown =>
    draftRefusal({ url, types }, RULES)

  test('is refused with a card number in its address, which the refusal does not repeat', () => {
    for (const url of [`https://shop.example/${CARD}`, `https://shop.example/?card=${CARD}`]) {
      const refusal = JSON.stringify(faultOf(url, []))
      assert.match(refusal, /The URL has a card number in it/)
      assert.ok(!refusal.includes(CARD))
    }
  })

  test('is refused with a type that does not exist, in which a card number is masked', () => {
    assert.match(JSON.stringify(faultOf('https://shop.example/', ['paid'])), /paid is no type/)
    const refusal = JSON.stringify(faultOf('https://shop.example/', [CARD]))
    assert.match(refusal, /1111 is no type of event/)
    assert.ok(!refusal.includes(CARD))
  })
})

test('an endpoint like another one of its site is refused with the number of that one', () => {
  assert.equal(doubledEndpoint(null), null)
  const refusal = doubledEndpoint(7n)
  assert.equal(refusal?.kind, 'conflict')
  assert.match(refusal?.faults[0] ?? '', /^Endpoint 7 of the site has this URL and these types/)
})
