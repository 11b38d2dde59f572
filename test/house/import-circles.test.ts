import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { importCircles } from './import-circles.ts'
import { filesUnder, packageFolders, read } from './source-text.ts'

suite('circles of imports', () => {
  test('no file of a package imports itself by way of others', () => {
    const paths = packageFolders().flatMap((name) => [
      ...filesUnder(`packages/${name}/src`, '.ts'),
      ...filesUnder(`packages/${name}/src`, '.tsx'),
    ])
    assert.ok(paths.length > 500, 'the walk found too few sources')
    assert.deepEqual(importCircles(new Map(paths.map((path) => [path, read(path)]))), [])
  })

  test('the guard bites: a circle over three files, types and lazy imports among them', () => {
    const files = new Map([
      ['src/a.ts', "import type { B } from './b/b.ts'"],
      ['src/b/b.ts', "const load = () => import('../c.ts')"],
      ['src/c.ts', "export { a } from './a.ts'"],
      ['src/user.ts', "import { a } from './a.ts'"],
    ])
    assert.deepEqual(importCircles(files), [['src/a.ts', 'src/b/b.ts', 'src/c.ts']])
  })

  test('the guard bites: two circles that share no file, and a file that imports itself', () => {
    const files = new Map([
      ['a.ts', "import './b.ts'"],
      ['b.ts', "import './a.ts'\nimport './c.ts'"],
      ['c.ts', "import './d.ts'"],
      ['d.ts', "import './c.ts'"],
      ['e.ts', "import './e.ts'"],
    ])
    assert.deepEqual(importCircles(files), [['a.ts', 'b.ts'], ['c.ts', 'd.ts'], ['e.ts']])
  })

  test('the guard lets two ways to one file pass', () => {
    const files = new Map([
      ['a.ts', "import './b.ts'\nimport './c.ts'"],
      ['b.ts', "import './d.ts'"],
      ['c.ts', "import './d.ts'\nimport 'zod'"],
      ['d.ts', "// import './a.ts'"],
    ])
    assert.deepEqual(importCircles(files), [])
  })
})
