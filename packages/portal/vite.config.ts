import react from '@vitejs/plugin-react'
import { writeFileSync } from 'node:fs'
import { defineConfig, type Plugin } from 'vite'

/** The folder of a package, as the lockfile names it. */
const PACKAGE = /(?:^|\/)(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//

/**
 * Lists the packages whose code is in the pages. A release names them in its bill of materials; the
 * list stands outside of `web`, because the gateway serves everything in there.
 */
function listPackages(): Plugin {
  return {
    name: 'list-packages',
    writeBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) =>
        chunk.type === 'chunk' ? chunk.moduleIds : [],
      )
      // Styles are no modules of a chunk.
      const all = [...modules, ...[...this.getModuleIds()].filter((id) => id.endsWith('.css'))]
      const paths = all.flatMap((id) => PACKAGE.exec(id)?.[1] ?? [])
      const sorted = [...new Set(paths)].sort()
      writeFileSync(
        new URL('dist/packages.json', import.meta.url),
        `${JSON.stringify(sorted, null, 2)}\n`,
      )
    },
  }
}

/** Built into files that the gateway serves under /portal; `npm run dev` goes to one that runs. */
// oxlint-disable-next-line no-default-export -- what Vite asks for
export default defineConfig({
  base: '/portal/',
  plugins: [react(), listPackages()],
  resolve: { conditions: ['tollgate-source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    // Data in addresses would have to be let in by the pages' policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
  server: { proxy: { '/portal/api': 'http://127.0.0.1:8080' } },
})
