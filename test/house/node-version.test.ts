import assert from 'node:assert/strict'
import { test } from 'node:test'
import { read } from './source-text.ts'

/** The documents that a reader opens before anything runs. */
const DOCUMENTS = [
  'README.md',
  'docs/operators/running.md',
  'packages/client/README.md',
  'examples/hosted-fields/README.md',
  'examples/three-ds-shop/README.md',
]

test('product, client and sample shops name one oldest version of Node, as `engines` does', () => {
  for (const file of ['package.json', 'packages/client/package.json']) {
    const { engines } = JSON.parse(read(file)) as { readonly engines: object }
    assert.deepEqual(engines, { node: '>=20' }, file)
  }
  const versions = DOCUMENTS.map((file) => [
    file,
    ...new Set(read(file).match(/Node \d+ or newer/g) ?? []),
  ])
  assert.deepEqual(
    versions,
    DOCUMENTS.map((file) => [file, 'Node 20 or newer']),
  )
})
