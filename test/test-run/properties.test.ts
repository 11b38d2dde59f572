import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../support/properties.ts'

test('a property that fails says the seed it was drawn from, and how to draw the same again', () => {
  const property = fc.property(fc.nat(), () => false)
  const seed = fc.readConfigureGlobal()?.seed
  assert.notEqual(seed, undefined)
  assert.throws(
    () => fc.assert(property),
    new RegExp(`seed: ${seed},[\\s\\S]*TOLLGATE_TEST_SEED=${seed} `),
  )
})

test('two runs draw the same, so that a property that fails once fails again', () => {
  const drawn = (): number[] => {
    const values: number[] = []
    fc.assert(fc.property(fc.nat(), (value) => void values.push(value)))
    return values
  }
  assert.deepEqual(drawn(), drawn())
})
