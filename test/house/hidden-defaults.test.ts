import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { defaultBreaches, idleDefaults } from './hidden-defaults.ts'
import { read, root, sourceFiles } from './source-text.ts'

const DOMAIN = 'packages/gateway/src/domain/payments/authorization-lifetime.ts'

test('no parameter in the domain and the use cases has a default without a listed reason', () => {
  assert.deepEqual(
    sourceFiles().flatMap((path) => defaultBreaches(path, read(path))),
    [],
  )
})

test('every listed default is still in its file', () => {
  assert.deepEqual(
    idleDefaults((path) => (existsSync(join(root, path)) ? read(path) : null)),
    [],
  )
  assert.ok(idleDefaults(() => 'export const nothing = 0').length > 0)
})

const BITES: readonly (readonly [what: string, text: string, name: string])[] = [
  ['a parameter', "export function f(at: Date, by: 'c' | 'm' = 'c'): void {}", 'by'],
  ['a member of a parameter', 'export const f = ({ days = 7 }: P): number => days', 'days'],
  ['a member that is taken out later', 'const { usedMs = 0 } = asked', 'usedMs'],
  ['a method', 'export const o = { m(pending = false) { return pending } }', 'pending'],
  ['a parameter of an inner function', 'function f() { return (a = 1) => a }', 'a'],
]

for (const [what, text, name] of BITES) {
  test(`the default of ${what} is refused`, () => {
    const [breach = '', ...others] = defaultBreaches(DOMAIN, text)
    assert.match(breach, new RegExp(`a default for ${name}:`))
    assert.deepEqual(others, [])
  })
}

test('a default outside the domain and the use cases is not refused', () => {
  const text = "export const text = (name: string, fallback = '') => name || fallback"
  assert.deepEqual(defaultBreaches('packages/gateway/src/config/settings.ts', text), [])
})

test('an assignment, a comparison and a part of a list are no defaults', () => {
  const text =
    'const [low = 0] = list; let a = 1; a = 2; const f = (b: number) => a === b; for (let i = 0; i <= a;) i += 1'
  assert.deepEqual(defaultBreaches(DOMAIN, text), [])
})
