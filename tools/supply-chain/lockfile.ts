import { readFileSync } from 'node:fs'

/** The entry of one package in package-lock.json, as far as it is used here. */
export interface LockedPackage {
  readonly name?: string
  readonly version?: string
  readonly integrity?: string
  readonly license?: string
  /** Needed for building and testing only. */
  readonly dev?: boolean
  readonly optional?: boolean
  /** One of our own packages, which is a folder beside it. */
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** By path: `node_modules/pg`, or `packages/gateway` for one of our own. */
export type Lockfile = Readonly<Record<string, LockedPackage>>

const INSIDE = 'node_modules/'

export function readLockfile(file: string | URL): Lockfile {
  return (JSON.parse(readFileSync(file, 'utf8')) as { packages: Lockfile }).packages
}

/** The name of the package at a path. */
export function nameAt(path: string): string {
  return path.slice(path.lastIndexOf(INSIDE) + INSIDE.length)
}

/** Types alone, which some packages let themselves be given; nothing of them runs. */
const TYPES_ONLY = /(?:^|\/)node_modules\/@types\//

/** Paths of the packages of others that are needed to run, in the sequence of name and version. */
export function runtimePaths(lock: Lockfile): string[] {
  const key = (path: string): string => `${nameAt(path)} ${lock[path]?.version}`
  return Object.entries(lock)
    .filter(([path, { dev, link }]) => path.includes(INSIDE) && dev !== true && link !== true)
    .filter(([path]) => !TYPES_ONLY.test(path))
    .map(([path]) => path)
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** The path at which the package at `from` finds another one, by Node's search; null: not there. */
export function resolve(lock: Lockfile, from: string, name: string): string | null {
  for (let folder = from; ;) {
    const path = folder === '' ? INSIDE + name : `${folder}/${INSIDE}${name}`
    if (path in lock) return path
    if (folder === '') return null
    const outer = folder.lastIndexOf(`/${INSIDE}`)
    folder = outer === -1 ? '' : folder.slice(0, outer)
  }
}

/** Names of a package's runtime dependencies. */
export function needsOf({ dependencies, optionalDependencies }: LockedPackage): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies })
}
