import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aBank, anAuthorization, GOOD_VISA } from '../support/test-bank.ts'

const ACCEPTED = 'AAABBEg0VhI0VniQEjRWAAAAAAA='
const REFUSED = 'AAABBWcSNIdjeUZThmNHAAAAAAA='
const MASTERCARD = '5555559000000011'
/** Needs the cardholder authenticated. */
const INSISTS = '4000009000000110'

function tagsOf(cavv: string, eci: string): Record<string, string> {
  const hex = Buffer.from(cavv, 'base64').toString('hex').toUpperCase()
  return { '3V': '2.2.0', CA: hex, DS: '0b1f1ee2-9d5c-4c53-a3c9-d92ed3b5c3ac', EC: eci }
}

const CASES: readonly (readonly [string, string, string, string, string])[] = [
  ['the accepted CAVV proves a full authentication', GOOD_VISA, ACCEPTED, '05', '00 2'],
  ['the accepted CAVV proves an attempt', GOOD_VISA, ACCEPTED, '06', '00 3'],
  ['the accepted CAVV holds for Mastercard', MASTERCARD, ACCEPTED, '05', '00 2'],
  ['the accepted CAVV satisfies an issuer that insists', INSISTS, ACCEPTED, '05', '00 2'],
  ['the refused CAVV is declined', GOOD_VISA, REFUSED, '05', 'Q1 1'],
  ['the refused CAVV of an attempt is declined', GOOD_VISA, REFUSED, '06', 'Q1 4'],
]

suite('at the test bank', () => {
  for (const [what, pan, cavv, eci, expected] of CASES) {
    test(what, async (t) => {
      const bank = await aBank(t)

      const { fields } = await bank.send(anAuthorization({ pan, tags: tagsOf(cavv, eci) }))

      assert.equal(`${fields[39]} ${fields[44]?.[3]}`, expected)
    })
  }
})

test('a bank without triggers does not accept a published CAVV', async (t) => {
  const bank = await aBank(t, undefined, { triggers: false })

  const { fields } = await bank.send(
    anAuthorization({ pan: INSISTS, tags: tagsOf(ACCEPTED, '05') }),
  )

  assert.notEqual(fields[44]?.[3], '2')
})
