import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { needsOf, resolve, type Lockfile } from '../supply-chain/lockfile.ts'

/** Our own packages that run on a server. The portal's pages are built, and need no package. */
export const OWN_PACKAGES = [
  'bank',
  'gateway',
  'iso8583',
  'kernel',
  'portal-contract',
  'tollgate',
] as const

/** Types alone, which some packages name as optional peers; nothing of them runs. */
const TYPES_ONLY = /(?:^|\/)node_modules\/@types\//

/**
 * Paths in the lockfile of every third-party package that the server loads, sorted. A package that
 * the portal or a tool needs is left out, also when the checkout has it.
 * @param checkout the folder with node_modules, where packages of other platforms are missing
 * @throws Error for a required package that is not installed
 */
export function neededPaths(lock: Lockfile, checkout: string): string[] {
  const found = new Set<string>()
  const open: string[] = OWN_PACKAGES.map((name) => `packages/${name}`)
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    const entry = lock[from]
    if (entry === undefined) throw new Error(`package-lock.json has no entry for ${from}.`)
    for (const name of needsOf(entry)) {
      const path = resolve(lock, from, name)
      if (path === null || found.has(path) || lock[path]?.link === true) continue
      if (TYPES_ONLY.test(path)) continue
      if (!existsSync(join(checkout, path))) {
        if (lock[path]?.optional === true) continue
        throw new Error(`The package ${path} is not installed; run npm install.`)
      }
      found.add(path)
      open.push(path)
    }
  }
  return [...found].sort()
}
