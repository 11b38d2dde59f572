import { nameAt, type Lockfile } from '../supply-chain/lockfile.ts'
import { sbomOf, type Sbom } from '../supply-chain/sbom.ts'

/** The packages that a release has. Paths are those of the lockfile. */
export interface ReleasedPackages {
  readonly version: string
  /** In the node_modules of the release. */
  readonly installed: readonly string[]
  /** In the pages of the portal, as code that Vite built in. */
  readonly bundled: readonly string[]
}

/**
 * The bill of materials of a release: the part of the repository's that the release contains. Each
 * component says whether it is a folder of the release or part of the portal's pages.
 */
export function releaseSbom(lock: Lockfile, packages: ReleasedPackages): Sbom {
  const whole = sbomOf(lock)
  const refs = (paths: readonly string[]): Set<string> =>
    new Set(paths.map((path) => `${nameAt(path)}@${lock[path]?.version}`))
  const installed = refs(packages.installed)
  const bundled = refs(packages.bundled)
  const isReleased = (ref: string): boolean => installed.has(ref) || bundled.has(ref)
  const components = whole.components
    .filter((component) => isReleased(component['bom-ref']))
    .map((component) => ({ ...component, properties: placesOf(component['bom-ref']) }))
  const self = `tollgate@${packages.version}`
  const dependencies = whole.dependencies
    .filter(({ ref }, index) => index === 0 || isReleased(ref))
    .map(({ ref, dependsOn }, index) => ({
      ref: index === 0 ? self : ref,
      dependsOn: dependsOn.filter(isReleased),
    }))
  const { version } = packages
  const { metadata } = whole
  const component = { ...metadata.component, 'bom-ref': self, version, purl: `pkg:npm/${self}` }
  return {
    ...whole,
    metadata: { ...metadata, component },
    components,
    dependencies,
  }

  function placesOf(ref: string): { name: string; value: string }[] {
    const places = [
      ...(installed.has(ref) ? ['node_modules'] : []),
      ...(bundled.has(ref) ? ['portal'] : []),
    ]
    return places.map((value) => ({ name: 'tollgate:place', value }))
  }
}
