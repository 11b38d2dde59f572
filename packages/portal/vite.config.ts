import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { listPackages } from './list-packages.ts'

/** Built into files that the gateway serves under /portal; `npm run dev` goes to one that runs. */
// oxlint-disable-next-line no-default-export -- what Vite asks for
export default defineConfig({
  base: '/portal/',
  plugins: [react(), listPackages(false)],
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
