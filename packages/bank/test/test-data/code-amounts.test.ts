import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GOOD_VISA, aBank, anAuthorization, moneyOf } from '../support/test-bank.ts'

const CENTS = Array.from({ length: 99 }, (_, index) => index + 1)
const NOT_REFUSED = ['08', '10', '11', '85']

test('9000.01 to 9000.99 are answered with the code of their cents', async (t) => {
  const bank = await aBank(t)

  const answers = await Promise.all(
    CENTS.map((cents) => bank.send(anAuthorization({ minor: 900_000n + BigInt(cents) }))),
  )

  assert.deepEqual(
    answers.map(({ fields }) => fields[39]),
    CENTS.map((cents) => String(cents).padStart(2, '0')),
  )
})

test('a refusal that an amount asks for holds nothing', async (t) => {
  const bank = await aBank(t)
  const refused = CENTS.filter((cents) => !NOT_REFUSED.includes(String(cents).padStart(2, '0')))

  await Promise.all(
    refused.map((cents) => bank.send(anAuthorization({ minor: 900_000n + BigInt(cents) }))),
  )

  assert.equal(moneyOf(bank, GOOD_VISA).held, 0n)
})

for (const [code, held] of [
  ['08', 900_008n],
  ['10', 450_005n],
  ['11', 900_011n],
  ['85', 900_085n],
] as const) {
  test(`9000.${code} holds what its answer says is approved`, async (t) => {
    const bank = await aBank(t)

    const { fields } = await bank.send(anAuthorization({ minor: 900_000n + BigInt(code) }))

    assert.deepEqual([fields[39], BigInt(fields[4] ?? '')], [code, held])
    assert.equal(moneyOf(bank, GOOD_VISA).held, held)
  })
}

test('9000.05 is declined on a card that is lost with 05, not with 41', async (t) => {
  const bank = await aBank(t)

  const { fields } = await bank.send(anAuthorization({ pan: '4000009000000417', minor: 900_005n }))

  assert.equal(fields[39], '05')
})

test('9000.00, and 900005 yen, are amounts like any other', async (t) => {
  const bank = await aBank(t)

  const whole = await bank.send(anAuthorization({ minor: 900_000n }))
  const yen = await bank.send(anAuthorization({ minor: 900_005n, currency: '392' }))

  assert.deepEqual([whole.fields[39], yen.fields[39]], ['00', '00'])
})
