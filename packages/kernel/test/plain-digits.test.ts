import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withPlainDigits } from '../src/plain-digits.ts'

test('the digits of every script there is read as 0 to 9', () => {
  // The runtime formats with every script that it knows, from Adlam to Wancho.
  const systems = Intl.supportedValuesOf('numberingSystem')
  let checked = 0
  for (const system of systems) {
    const digits = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false }).format(
      1_234_567_890,
    )
    if (!/^\p{Nd}{10}$/u.test(digits)) continue
    assert.equal(withPlainDigits(digits), '1234567890', system)
    checked += 1
  }
  assert.ok(checked > 60, `only ${checked} scripts`)
})

test('everything else is as NFKC has it', () => {
  assert.equal(withPlainDigits('Zoë ４² №5 Ⅷ ½'), 'Zoë ４² №5 Ⅷ ½'.normalize('NFKC'))
})
