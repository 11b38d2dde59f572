import { readFileSync, writeFileSync } from 'node:fs'
import type { Plugin } from 'vite'

/** The folder of a package, as the lockfile names it. */
const PACKAGE = /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//
/** Outside of the applications' folders, because the gateway serves everything in there. */
const LIST = new URL('dist/packages.json', import.meta.url)

/**
 * Lists the packages whose code is in the pages; a release names them in its bill of materials.
 * `adds`: keeps what an earlier build has listed.
 */
export function listPackages(adds: boolean): Plugin {
  return {
    name: 'list-packages',
    writeBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) =>
        chunk.type === 'chunk' ? chunk.moduleIds : [],
      )
      // Styles are no modules of a chunk.
      const all = [...modules, ...[...this.getModuleIds()].filter((id) => id.endsWith('.css'))]
      const paths = all.flatMap((id) => PACKAGE.exec(id)?.[1] ?? [])
      const before = adds ? (JSON.parse(readFileSync(LIST, 'utf8')) as string[]) : []
      const sorted = [...new Set([...before, ...paths])].sort()
      writeFileSync(LIST, `${JSON.stringify(sorted, null, 2)}\n`)
    },
  }
}
