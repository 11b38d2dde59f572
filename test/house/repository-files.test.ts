import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packageFolders, read, root } from './source-text.ts'

/**
 * Paths from the root that do not exist, out of the first words of the lines of a settings file.
 */
function missingPaths(text: string, exists: (path: string) => boolean): string[] {
  return text
    .split('\n')
    .flatMap((line) => /^([^\s#]+)/.exec(line)?.[1] ?? [])
    .filter((pattern) => pattern.includes('/'))
    .map((pattern) => pattern.replace(/^\//, '').replace(/\/?\*+$/, ''))
    .filter((path) => !exists(path))
}

const exists = (path: string) => existsSync(join(root, path))

test('every path that CODEOWNERS and .gitattributes name is there', () => {
  assert.deepEqual(missingPaths(read('.github/CODEOWNERS'), exists), [])
  assert.deepEqual(missingPaths(read('.gitattributes'), exists), [])
})

test('the guard bites: a path that has moved', () => {
  const owners = '# /gone/\n* @a\n/packages/gone/ @a\n/migrations/ @a\nold/name/* -text'
  assert.deepEqual(missingPaths(owners, exists), ['packages/gone/', 'old/name'])
})

test('every package that renovate.json names is one that we use', () => {
  const settings = JSON.parse(read('renovate.json')) as {
    packageRules: { matchPackageNames?: string[] }[]
  }
  const named = settings.packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames)
  const manifests = [
    'package.json',
    ...packageFolders().map((name) => `packages/${name}/package.json`),
  ]
  const ours = manifests.map(read).join('\n')
  assert.ok(named.length > 0)
  assert.deepEqual(
    named.filter((name) => !ours.includes(`"${name.replace('**', '')}`)),
    [],
  )
})
