import { nameAt, needsOf, resolve, runtimePaths, type Lockfile } from './lockfile.ts'

interface Component {
  readonly type: 'library'
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly scope: 'required' | 'optional'
  readonly hashes: readonly { readonly alg: 'SHA-512'; readonly content: string }[]
  readonly licenses: readonly { readonly license: { readonly id: string } }[]
  readonly purl: string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}

/** A software bill of materials in the format CycloneDX 1.5. */
export interface Sbom {
  readonly metadata: { readonly component: Readonly<Record<string, unknown>> }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
  readonly [more: string]: unknown
}

/**
 * All third-party packages that are needed to run, by the lockfile alone. It is the same at any
 * place and time: it has neither a time nor a serial number. Throws on a package without a version,
 * a licence or a SHA-512.
 */
export function sbomOf(lock: Lockfile): Sbom {
  const root = lock['']
  const version = root?.version ?? '0.0.0'
  const self = `tollgate@${version}`
  const paths = runtimePaths(lock)
  const direct = Object.entries(lock)
    .filter(([path]) => path.startsWith('packages/') && !path.includes('node_modules/'))
    .flatMap(([path, own]) => needsOf(own).map((name) => resolve(lock, path, name)))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'tollgate',
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        purl: `pkg:npm/${self}`,
      },
    },
    components: paths.map((path) => componentOf(lock, path)),
    dependencies: [
      { ref: self, dependsOn: refsOf(lock, direct) },
      ...paths.map((path) => {
        const needs = needsOf(lock[path] ?? {}).map((name) => resolve(lock, path, name))
        return { ref: refOf(lock, path), dependsOn: refsOf(lock, needs) }
      }),
    ],
  }
}

function componentOf(lock: Lockfile, path: string): Component {
  const { version, integrity, license, optional } = lock[path] ?? {}
  const hash = /^sha512-([A-Za-z0-9+/]+=*)$/.exec(integrity ?? '')?.[1]
  if (version === undefined || license === undefined || hash === undefined) {
    throw new Error(`${path} has no version, licence or SHA-512 in package-lock.json.`)
  }
  return {
    type: 'library',
    'bom-ref': refOf(lock, path),
    name: nameAt(path),
    version,
    scope: optional === true ? 'optional' : 'required',
    hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
    licenses: [{ license: { id: license } }],
    purl: `pkg:npm/${nameAt(path).replace('@', '%40')}@${version}`,
  }
}

function refOf(lock: Lockfile, path: string): string {
  return `${nameAt(path)}@${lock[path]?.version}`
}

/** Our own packages are left out; so are optional ones that are not installed. */
function refsOf(lock: Lockfile, paths: readonly (string | null)[]): string[] {
  const known = paths.filter((path) => path !== null && lock[path]?.link !== true)
  return [...new Set(known.map((path) => refOf(lock, path ?? '')))].sort()
}

/** The text of the file that is kept in the repository. */
export function writtenSbom(lock: Lockfile): string {
  return `${JSON.stringify(sbomOf(lock), null, 2)}\n`
}
