import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const DOCUMENT = fileURLToPath(
  new URL('../../docs/internals/three-d-secure-proof.md', import.meta.url),
)
const lines = readFileSync(DOCUMENT, 'utf8').split('\n')

/** Rows of the document's tables whose first cell looks like this. */
function rowsOf(first: RegExp): { readonly name: string; readonly text: string }[] {
  return lines
    .map((text) => ({ name: /^\| ([^ |]+) \|/.exec(text)?.[1] ?? '', text }))
    .filter(({ name }) => first.test(name))
}

/** Files that a row links to. */
function filesOf(text: string): string[] {
  return [...text.matchAll(/\]\((\.\.\/[^)#]+)\)/g)].map(([, path = '']) =>
    join(dirname(DOCUMENT), path),
  )
}

/** The numbers of the matrix that a file has tests for. */
function numbersIn(file: string): Set<string> {
  const source = readFileSync(file, 'utf8')
  const named = [...source.matchAll(/rows? ((?:\d+b?(?:, | and )?)+)/g)].flatMap(([, list = '']) =>
    list.split(/, | and /),
  )
  const listed = [...source.matchAll(/(?:row: |^ +\[\s*)'(\d+b?)',/gm)].map(
    ([, number = '']) => number,
  )
  return new Set([...named, ...listed])
}

suite('the page about what is proven of 3-D Secure', () => {
  const rows = rowsOf(/^\d+b?$/)

  test('the page about what is proven of 3-D Secure has every row of the matrix once', () => {
    const all = Array.from({ length: 45 }, (_, at) => String(at + 1)).filter(
      (number) => number !== '19',
    )
    assert.deepEqual(rows.map(({ name }) => name).toSorted(), [...all, '4b'].toSorted())
  })

  for (const { name, text } of rows) {
    test(`the page about what is proven of 3-D Secure names a file with a test for row ${name}`, () => {
      const [file = ''] = filesOf(text)
      assert.ok(existsSync(file), file)
      assert.ok(numbersIn(file).has(name), `${file} has no test for row ${name}`)
    })
  }

  const attacks = rowsOf(/^T\d+$/)

  test('the page about what is proven of 3-D Secure has all 28 attacks', () => {
    assert.deepEqual(
      attacks.map(({ name }) => name),
      Array.from({ length: 28 }, (_, at) => `T${at + 1}`),
    )
  })

  for (const { name, text } of attacks) {
    test(`the page about what is proven of 3-D Secure names tests that there are for ${name}`, () => {
      const pointers = [...text.matchAll(/\]\((\.\.\/[^)]+)\): `([^|]+?)`(?=;| \|)/g)]
      assert.ok(pointers.length > 0)
      for (const [, path = '', words = ''] of pointers) {
        const source = readFileSync(join(dirname(DOCUMENT), path), 'utf8')
        assert.ok(source.includes(words), `${path} has nothing called "${words}"`)
      }
    })
  }
})
