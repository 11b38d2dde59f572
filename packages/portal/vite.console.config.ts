import react from '@vitejs/plugin-react'
import { renameSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { listPackages } from './list-packages.ts'

/** The gateway serves the page as `index.html`, as that of the portal. */
function namePage(): Plugin {
  return {
    name: 'name-page',
    closeBundle() {
      const at = (name: string): URL => new URL(`dist/console/${name}`, import.meta.url)
      renameSync(at('console.html'), at('index.html'))
    },
  }
}

/** The console's pages, built from the same components as the portal's. */
// oxlint-disable-next-line no-default-export -- what Vite asks for
export default defineConfig({
  base: '/console/',
  plugins: [react(), namePage(), listPackages(true)],
  resolve: { conditions: ['tollgate-source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: 'dist/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    rollupOptions: { input: fileURLToPath(new URL('console.html', import.meta.url)) },
  },
})
