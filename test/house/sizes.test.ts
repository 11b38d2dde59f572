import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { measuredSizes, RECORD, recordedSizes } from './measured-sizes.ts'
import {
  excessOf,
  growths,
  isMeasured,
  lowered,
  shrinkages,
  TABLES,
  writtenSizes,
  type Excess,
} from './sizes.ts'
import { read, root } from './source-text.ts'

test('no file, function or line has grown beyond what is on record', () => {
  assert.deepEqual(growths(recordedSizes(), measuredSizes()), [])
})

test('the record holds the smaller size of a file that shrank, so that it stays small', () => {
  assert.deepEqual(
    shrinkages(recordedSizes(), measuredSizes()),
    [],
    `Run \`npm run ratchet\` and commit ${RECORD}.`,
  )
})

test('the record is written as its command writes it', () => {
  assert.equal(read(RECORD), writtenSizes(recordedSizes()))
})

test('every table that is not measured is still there', () => {
  assert.deepEqual(
    Object.keys(TABLES).filter((path) => !existsSync(join(root, path)) || isMeasured(path)),
    [],
  )
})

suite('the measured sizes', () => {
  const line = 'call()\n'
  const none = { fileLines: 0, functionLines: 0, wideLines: 0 }

  test('a file has 250 lines, and each further one counts', () => {
    assert.equal(excessOf('a.ts', line.repeat(250)), null)
    assert.deepEqual(excessOf('a.ts', line.repeat(253)), { ...none, fileLines: 3 })
  })

  test('a line has 100 columns, and each wider one counts once', () => {
    const wide = (columns: number) => `// ${'x'.repeat(columns - 3)}\n`
    assert.equal(excessOf('a.ts', wide(100)), null)
    assert.deepEqual(excessOf('a.ts', wide(101) + wide(140)), { ...none, wideLines: 2 })
  })

  const long = (head: string, tail: string, lines: number) =>
    `${head}\n${line.repeat(lines - 2)}${tail}\n`

  test('a function has 60 lines, whichever way it is written', () => {
    const kinds = [
      ['function a() {', '}'],
      ['const a = async () => {', '}'],
      ['const a = { b() {', '} }'],
      ['class A { get b() {', '} }'],
    ] as const
    for (const [head, tail] of kinds) {
      assert.equal(excessOf('a.ts', long(head, tail, 60)), null, head)
      assert.deepEqual(excessOf('a.ts', long(head, tail, 62)), { ...none, functionLines: 2 }, head)
    }
  })

  test('a function inside another is one line of it, and counts by itself', () => {
    const inner = long('function inner() {', '}', 62)
    const outer = (lines: number) => `function outer() {\n${inner}${line.repeat(lines - 3)}}\n`
    assert.deepEqual(excessOf('a.ts', outer(60)), { ...none, functionLines: 2 })
    assert.deepEqual(excessOf('a.ts', outer(61)), { ...none, functionLines: 3 })
  })

  test('a component of a page is a function as well', () => {
    const rows = '  <p>a</p>\n'.repeat(60)
    const page = `export function Page() {\n  return (<>\n${rows}  </>)\n}\n`
    assert.deepEqual(excessOf('a.tsx', page), { ...none, functionLines: 4 })
  })
})

suite('the ratchet', () => {
  const big: Excess = { fileLines: 9, functionLines: 5, wideLines: 2 }

  test('the guard bites: a number that has grown, and a file that is too large from the start', () => {
    assert.deepEqual(growths({ 'a.ts': big }, { 'a.ts': { ...big, wideLines: 3 }, 'b.ts': big }), [
      'a.ts: 3 lines of more than 100 columns, and 2 on record',
      'b.ts: 9 lines above 250, and 0 on record',
      'b.ts: 5 lines of functions above 60, and 0 on record',
      'b.ts: 2 lines of more than 100 columns, and 0 on record',
    ])
  })

  test('the guard bites: a number that has become smaller, and a file that is gone', () => {
    const recorded = { 'a.ts': big, 'b.ts': { ...big, fileLines: 0, functionLines: 0 } }
    assert.deepEqual(shrinkages(recorded, { 'a.ts': { ...big, fileLines: 8 } }), [
      'a.ts: 8 lines above 250, and 9 on record',
      'b.ts: 0 lines of more than 100 columns, and 2 on record',
    ])
  })

  test('the command lowers numbers and raises none', () => {
    const measured = {
      'a.ts': { fileLines: 3, functionLines: 99, wideLines: 2 },
      'new.ts': big,
    }
    assert.deepEqual(lowered({ 'a.ts': big, 'gone.ts': big }, measured), {
      'a.ts': { fileLines: 3, functionLines: 5, wideLines: 2 },
    })
  })
})
