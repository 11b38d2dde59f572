import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutPastedSecrets } from '../../src/base/pasted-secrets.ts'
import { maskParameters } from '../../src/http/payment/masking.ts'
import { maskPastedNumbers } from '../../src/http/payment/pasted-numbers.ts'
import { aGateway, SALE } from '../http/fake-gateway.ts'

const OTHER = '4012888888881881'

for (const [text, shown] of [
  ['cvv 731', 'cvv ***'],
  ['the CVV2: 7310, thanks', 'the CVV2: ****, thanks'],
  ['CVC is 731', 'CVC is ***'],
  ['csc=731', 'csc=***'],
  ['Security code - 731', 'Security code - ***'],
  ['card_code 731', 'card_code ***'],
  ['cvv ٧٣١', 'cvv ***'],
  [`;${OTHER}=30121010000073100000?`, `;${OTHER}=${'*'.repeat(20)}?`],
  [`${OTHER}D3012101`, `${OTHER}D*******`],
  [`%B${OTHER}^DOE/JOHN^3012101000000731?`, `%B${OTHER}^DOE/JOHN^${'*'.repeat(16)}?`],
] as const) {
  test(`goes out of a text: ${text}`, () => assert.equal(withoutPastedSecrets(text), shown))
}

for (const text of [
  'cvv 73',
  'cvv 73100',
  'postcode 7310',
  'code 731',
  'cvvs 731',
  '4012888888881882=3012101',
  'web-17',
]) {
  test(`stays: ${text}`, () => assert.equal(withoutPastedSecrets(text), text))
}

test('no code and no stripe that was pasted into a free text reaches a command or the request log', async () => {
  const stripes = [`;${OTHER}=30121010000073100000?`, `%B${OTHER}^DOE/JOHN^3012101000000731?`]
  const gateway = aGateway()
  await gateway.send({
    ...SALE,
    XTL_UDF01: 'cvv 731',
    XTL_UDF02: stripes[0],
    XTL_UDF03: stripes[1],
  })

  const [command] = gateway.payments
  const kept = JSON.stringify(command, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  for (const text of [kept, gateway.logged[0]?.parameters ?? '']) {
    assert.match(text, /cvv \*\*\*/)
    assert.doesNotMatch(text, /731|3012101|4012888/)
  }
})

test('the card that pays keeps nothing of its stripe either', () => {
  assert.equal(
    maskPastedNumbers(`${OTHER}=30121010000073100000`, OTHER),
    `401288******1881=${'*'.repeat(20)}`,
  )
  const logged = maskParameters(
    new Map([['XTL_UDF01', `${OTHER}=30121010000073100000`]]),
    [],
    true,
    [],
  )
  assert.equal(logged, `{"XTL_UDF01":"401288******1881=${'*'.repeat(20)}"}`)
})
