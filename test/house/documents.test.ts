import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { INVARIANTS } from '../../packages/gateway/src/adapters/postgres/books/invariants/invariant-list.ts'
import { loadConfig } from '../../packages/gateway/src/config/config.ts'
import { SANDBOX, saleCommand } from '../../packages/gateway/src/config/sandbox-credentials.ts'
import { brokenLinks, localWords, namesInTable, runtimeDependencies } from './documents.ts'
import { filesUnder, packageFolders, read, root } from './source-text.ts'

const documents = filesUnder('.', '.md')

function readOrNull(path: string): string | null {
  const full = join(root, path)
  if (!existsSync(full)) return null
  return statSync(full).isFile() ? read(path) : ''
}

test('docs/dependencies.md has a line for every runtime dependency, and for nothing else', () => {
  const manifests = packageFolders().map((name) => read(`packages/${name}/package.json`))
  assert.deepEqual(namesInTable(read('docs/dependencies.md')), runtimeDependencies(manifests))
})

test('the guard bites: a dependency without a line', () => {
  const manifest = JSON.stringify({
    dependencies: { pg: '1.0.0', '@tollgate/bank': '1.0.0' },
    optionalDependencies: { zod: '1.0.0' },
  })
  assert.deepEqual(runtimeDependencies([manifest, manifest]), ['pg', 'zod'])
  assert.deepEqual(namesInTable('| Name | Why |\n|---|---|\n| `pg` | speaks to it |'), ['pg'])
})

test('the curl line of README.md is the one that npm start prints', () => {
  const loaded = loadConfig({})
  assert.ok(loaded.ok, 'the default settings are refused')
  const lines = read('README.md').split('\n')
  assert.deepEqual(
    lines.filter((line) => line.startsWith('curl ')),
    [saleCommand(loaded.config.baseUrl)],
  )
})

test('the credentials in README.md are those that npm start prints', () => {
  const readme = read('README.md')
  const values = Object.values(SANDBOX)
  assert.deepEqual(
    values.filter((value) => !readme.includes(`\`${value}\``)),
    [],
  )
})

test('every relative link of every document leads somewhere', () => {
  assert.ok(documents.length >= 10, 'the walk found no documents')
  const broken = documents.flatMap((path) =>
    brokenLinks(path, read(path), readOrNull).map((link) => `${path}: ${link}`),
  )
  assert.deepEqual(broken, [])
})

test('the guard bites: a link to a file or a heading that is not there', () => {
  const text = '# One\n[a](gone.md) [b](#one) [c](#two) [d](https://example.com/x) `[e](code.md)`'
  assert.deepEqual(
    brokenLinks('docs/x.md', text, () => null),
    ['gone.md', '#two'],
  )
  assert.deepEqual(
    brokenLinks('docs/x.md', '[a](y.md#b)', () => '# A'),
    ['y.md#b'],
  )
  assert.deepEqual(
    brokenLinks('docs/x.md', '[a](../y.md#a-b)', () => '## A, b'),
    [],
  )
  assert.deepEqual(
    brokenLinks('docs/x.md', '[a](y.md#o1) [b](y.md#o2)', () => '- <a id="o1"></a>**O1.** A card'),
    ['y.md#o2'],
  )
})

test('no document names a folder or a registry of the machine it was written on', () => {
  const found = documents.flatMap((path) =>
    localWords(read(path)).map((word) => `${path}: ${word}`),
  )
  assert.deepEqual(found, [])
})

test('the guard bites: a local folder and a local registry', () => {
  assert.equal(localWords(`see /${'work'}/main/x`).length, 1)
  assert.equal(localWords('from http://localhost:4873/npm/').length, 1)
  assert.equal(localWords('registry=http://10.0.0.1:8000/').length, 1)
  assert.deepEqual(localWords('the teamwork/worker at http://127.0.0.1:8080/payment'), [])
})

test('README.md says how many rules of the database "verify" checks', () => {
  assert.match(read('README.md'), new RegExp(`verify\` checks ${INVARIANTS.length} rules`))
})
