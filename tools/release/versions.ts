import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLockfile } from '../supply-chain/lockfile.ts'
import { writtenSbom } from '../supply-chain/sbom.ts'

/** Texts that name the version of the image or of the chart, by the words before it. */
const NAMED: readonly (readonly [file: string, before: RegExp])[] = [
  ['deploy/compose/compose.yaml', /tollgate:(?=\d)/g],
  ['deploy/container/Dockerfile', /tollgate:(?=\d)/g],
  ['deploy/helm/tollgate/Chart.yaml', /^(?:appVersion|version): /gm],
  ['packages/client/README.md', /tollgate-client-/g],
]
const VERSION = /^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?/

/** Whether a text is a version as we number them: 1.2.3, or 1.2.3-rc.1 before it. */
export function isVersion(text: string): boolean {
  return new RegExp(`${VERSION.source}$`).test(text)
}

/** Writes a version to each place of a checkout that names the present one. */
export function setVersion(checkout: string, version: string): void {
  const edit = (file: string, change: (text: string) => string): void => {
    const path = join(checkout, file)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }
  const manifests = readdirSync(join(checkout, 'packages')).map(
    (name) => `packages/${name}/package.json`,
  )
  for (const file of ['package.json', ...manifests]) {
    // As text, so that each manifest keeps its layout.
    edit(file, (text) =>
      text
        .replace(/^( {2}"version": ")[^"]+/m, `$1${version}`)
        .replace(/("@tollgate\/[a-z0-9-]+": ")[^"]+/g, `$1${version}`),
    )
  }
  edit('package-lock.json', (text) => {
    const lock = JSON.parse(text) as Manifest & { packages: Record<string, Manifest> }
    for (const [path, entry] of Object.entries(lock.packages)) {
      const isOurs = path === '' || (path.startsWith('packages/') && !path.includes('node_modules'))
      if (isOurs) lock.packages[path] = withVersion(entry, version)
    }
    return written({ ...lock, version })
  })
  writeFileSync(
    join(checkout, 'sbom.cdx.json'),
    writtenSbom(readLockfile(join(checkout, 'package-lock.json'))),
  )
  for (const [file, before] of NAMED) {
    const pattern = new RegExp(
      `(${before.source})\\d+\\.\\d+\\.\\d+(?:-[a-z]+\\.\\d+)?`,
      before.flags,
    )
    edit(file, (text) => text.replace(pattern, `$1${version}`))
  }
}

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** With the same sequence of fields; our packages depend on each other by exact versions. */
function withVersion(manifest: Manifest, version: string): Manifest {
  const { dependencies } = manifest
  const changed =
    dependencies === undefined
      ? {}
      : {
          dependencies: Object.fromEntries(
            Object.entries(dependencies).map(([name, wanted]) => [
              name,
              name.startsWith('@tollgate/') ? version : wanted,
            ]),
          ),
        }
  return { ...manifest, version, ...changed }
}

function written(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
