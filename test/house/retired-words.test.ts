import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { idleExceptions, retiredWords } from './retired-words.ts'
import { filesUnder, packageFolders, read, root, sourceFiles } from './source-text.ts'

const SLICE = 'packages/gateway/src/portal/order/usecases/some-rule.ts'

test('no identifier of the packages has a word that the glossary retired', () => {
  const pages = packageFolders().flatMap((name) => filesUnder(`packages/${name}/src`, '.tsx'))
  assert.deepEqual(
    [...sourceFiles(), ...pages].flatMap((path) => retiredWords(path, read(path))),
    [],
  )
})

test('every exception of the guard of retired words is needed', () => {
  assert.deepEqual(
    idleExceptions((path) => (existsSync(join(root, path)) ? read(path) : null)),
    [],
  )
  assert.ok(idleExceptions(() => 'export const nothing = 0').length > 0)
})

for (const [what, code] of [
  ['a variable', 'const toldAt = 0'],
  ['a constant', 'const TELL_EVERY_MS = 5'],
  ['a type', 'interface UndoStep { readonly does: string }'],
  ['a member', 'interface Row { readonly avsLetter: string }'],
  ['a private method', 'class Bank { #tellIssuer(): void {} }'],
  ['a refund', 'function creditOrder(): void {}'],
  ['a side of a posting beside no debit', 'const credit = 5n'],
  ['a card on file', 'const keptCards = []'],
] as const) {
  test(`the guard of retired words reports the identifier of ${what}`, () => {
    assert.equal(retiredWords(SLICE, code).length, 1)
  })
}

for (const [what, path, code] of [
  ['a word that only begins like one', SLICE, 'const newsletter = doorway + actor'],
  ['the text of a message', SLICE, "const text = 'You cannot undo this.'"],
  ['the two sides of a posting', SLICE, 'const { debit, credit } = line'],
  ['an unreferenced credit', SLICE, 'const unreferencedCredits = true'],
  ['a credit card', SLICE, 'const creditCard = 1'],
  ['a name of the wire', 'packages/gateway/src/http/x.ts', 'const CREDIT_ON_FAIL = 1'],
] as const) {
  test(`the guard of retired words accepts ${what}`, () => {
    assert.deepEqual(retiredWords(path, code), [])
  })
}
