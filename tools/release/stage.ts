import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { readLockfile } from '../supply-chain/lockfile.ts'
import { licencesOf } from './licences.ts'
import { neededPaths, OWN_PACKAGES } from './needed-packages.ts'
import { isNeeded } from './pruning.ts'
import { releaseSbom } from './release-sbom.ts'

/** The folder that was laid out, for the steps that pack it. */
export interface Staged {
  readonly folder: string
  readonly version: string
  /** Bytes of all files, each counted once. */
  readonly bytes: number
}

/** Files of our packages that the program reads beside its code. */
const BROWSER_FOLDERS = ['packages/gateway/hosted-field', 'packages/gateway/three-ds-pages']
/** The pages of the portal, and those of the operator's console. */
const PAGES = ['packages/portal/dist/web', 'packages/portal/dist/console']
/** Alert rules and dashboard, which an operator copies to Prometheus and Grafana. */
export const MONITORING_FOLDERS = ['prometheus', 'grafana'] as const
/** Beside the bundle, because the gateway serves everything in it. */
const PORTAL_PACKAGES = 'packages/portal/dist/packages.json'

/**
 * Lays out the program with everything that it loads, from a built checkout.
 * @param folder is made; it must not exist
 */
export function stageRelease(checkout: string, folder: string, version: string): Staged {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const lock = readLockfile(join(checkout, 'package-lock.json'))
  const paths = neededPaths(lock, checkout)
  const put = (from: string, to: string): void => putFile(join(checkout, from), join(folder, to))
  const putAll = (path: string, wanted: (file: string) => boolean): void => {
    for (const file of filesIn(join(checkout, path)).filter(wanted)) {
      put(join(path, file), join(path, file))
    }
  }
  for (const name of OWN_PACKAGES) stageOwn(checkout, folder, name, version)
  for (const path of BROWSER_FOLDERS) putAll(path, () => true)
  for (const path of PAGES) putAll(path, (file) => !file.endsWith('.map'))
  putAll('migrations', (file) => /^\d{4}_.+\.sql$/.test(file))
  for (const path of paths) {
    // A package inside of it has an entry of its own in the lockfile.
    putAll(path, (file) => !file.startsWith('node_modules/') && isNeeded(file))
    linkLibraries(join(folder, path))
  }
  for (const file of ['LICENSE', 'CHANGELOG.md']) put(file, file)
  put('.env.example', 'env.example')
  put('deploy/release/tollgate.sh', 'bin/tollgate')
  put('deploy/release/launch.mjs', 'bin/launch.mjs')
  put('deploy/release/health.mjs', 'bin/health.mjs')
  put('deploy/release/README.txt', 'README.txt')
  for (const part of MONITORING_FOLDERS) {
    for (const file of filesIn(join(checkout, 'deploy', part))) {
      put(join('deploy', part, file), join(part, file))
    }
  }
  chmodSync(join(folder, 'bin/tollgate'), 0o755)
  const bundled = JSON.parse(readFileSync(join(checkout, PORTAL_PACKAGES), 'utf8')) as string[]
  const sbom = releaseSbom(lock, { version, installed: paths, bundled })
  writeText(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)
  const all = [...new Set([...paths, ...bundled])].sort()
  writeText(join(folder, 'THIRD-PARTY-LICENSES.txt'), licencesOf(checkout, lock, all))
  const bytes = filesIn(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  return { folder, version, bytes }
}

/** The built code of one of our packages, its manifest, and the link that imports go through. */
function stageOwn(checkout: string, folder: string, name: string, version: string): void {
  const path = `packages/${name}`
  for (const file of filesIn(join(checkout, path, 'dist'))) {
    if (!file.endsWith('.js')) continue
    // The compiler leaves the output of a source that was removed.
    if (!existsSync(join(checkout, path, 'src', file.replace(/\.js$/, '.ts')))) continue
    putFile(join(checkout, path, 'dist', file), join(folder, path, 'dist', file))
  }
  const manifest = JSON.parse(readFileSync(join(checkout, path, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >
  writeText(
    join(folder, path, 'package.json'),
    `${JSON.stringify({ ...manifest, version }, null, 2)}\n`,
  )
  const link = join(folder, 'node_modules/@tollgate', name)
  mkdirSync(dirname(link), { recursive: true, mode: 0o755 })
  symlinkSync(`../../${path}`, link)
}

/**
 * Makes the short names of PostgreSQL's libraries, which npm packages cannot hold. The program
 * makes them itself where it may write; a release is read-only for it.
 */
function linkLibraries(packageFolder: string): void {
  const list = join(packageFolder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const place = join(packageFolder, target)
    if (existsSync(place)) continue
    symlinkSync(relative(dirname(place), join(packageFolder, source)), place)
  }
}

/** Every regular file under a folder, as sorted paths from it. Links are left out. */
export function filesIn(folder: string): string[] {
  const walk = (inside: string): string[] =>
    readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
      const path = join(inside, entry.name)
      if (entry.isDirectory()) return walk(path)
      return entry.isFile() ? [path] : []
    })
  return walk('').sort()
}

/** Some packages mark texts as programs; only PostgreSQL's are run. */
function isProgram(path: string): boolean {
  return /\/native\/bin\/[^/]+$/.test(path)
}

function putFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 })
  copyFileSync(from, to)
  chmodSync(to, isProgram(to) ? 0o755 : 0o644)
}

function writeText(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
  writeFileSync(file, text, { mode: 0o644 })
}
