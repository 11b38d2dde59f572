import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mutantsOf } from '../../tools/mutation/mutants.ts'

function changes(text: string): string[] {
  return mutantsOf('sample.ts', text).map(({ change }) => change)
}

suite('the mutants of a source', () => {
  test('move the boundary of a comparison, and turn it round', () => {
    assert.deepEqual(changes('export const fits = (a: bigint, b: bigint) => a <= b'), [
      '<= → <',
      '<= → >',
    ])
  })

  test('leave out a condition, and each half of one', () => {
    assert.deepEqual(changes('if (a && !b) done()'), [
      'a && !b → true',
      'a && !b → false',
      'a && !b → ((a) || (!b))',
      'a && !b → a',
      'a && !b → !b',
      '!b → (b)',
      'done() → {}',
    ])
  })

  test('swap the branches of a choice, and empty the texts that it returns', () => {
    assert.deepEqual(changes(`export const kind = (x: boolean) => (x ? 'live' : 'test')`), [
      `x ? 'live' : 'test' → ((x) ? ('test') : ('live'))`,
      `'live' → ''`,
      `'test' → ''`,
    ])
  })

  test('change numbers and amounts by one in both directions', () => {
    assert.deepEqual(changes('export const LIMITS = [10, 5n, 0]'), [
      '10 → 11',
      '10 → 9',
      '5n → 6n',
      '5n → 4n',
      '0 → 1',
    ])
  })

  test('leave types, imports and sentences alone', () => {
    const text = [
      `import { one } from './one.ts'`,
      `type Step = 1 | 'two'`,
      `export const say = () => one('It cannot be done, because 3 is too many.')`,
    ]
    assert.deepEqual(changes(text.join('\n')), [])
  })

  test('name the line, and give the whole text with the mistake', () => {
    const [first] = mutantsOf('sample.ts', 'export const A = true\n')
    assert.equal(first?.line, 1)
    assert.equal(first?.lineText, 'export const A = true')
    assert.equal(first?.text, 'export const A = false\n')
  })
})
