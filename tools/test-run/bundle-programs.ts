// Bundles the programs that tests start:
//   node --conditions=tollgate-source tools/test-run/bundle-programs.ts <folder>
//
// A program of 1,500 modules computes for more than a second before its first own statement, and a
// run starts hundreds. Bundled, it computes for a third of that.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'
import { bundleOf, PROGRAMS } from '../../packages/tollgate/test/built-program.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Looks for the programs beside itself, which it shall do in the bundle. */
const FINDS_PROGRAMS = join(ROOT, 'packages/tollgate/src/command-line.ts')

/** Modules look for files by their own address, which is that of the source for them. */
const addressesOfSources: Plugin = {
  name: 'addresses of sources',
  transform(code, id) {
    if (!id.startsWith(ROOT) || id.includes('node_modules') || id === FINDS_PROGRAMS) return null
    if (!code.includes('import.meta.')) return null
    const address = JSON.stringify(pathToFileURL(id).href)
    const resolve = `pathToFileURL(createRequire(${address}).resolve(name)).href`
    const imports =
      "import { createRequire } from 'node:module'; import { pathToFileURL } from 'node:url';"
    return code.includes('import.meta.resolve(')
      ? imports + code.replace('import.meta.resolve(name)', resolve)
      : code.replaceAll('import.meta.url', address)
  },
}

const [folder = ''] = process.argv.slice(2)
const bundle = await rolldown({
  input: Object.fromEntries(
    PROGRAMS.map((source) => [bundleOf(source, '').replace(/\.js$/, ''), join(ROOT, source)]),
  ),
  platform: 'node',
  resolve: { conditionNames: ['tollgate-source', 'node'] },
  // pg looks for it, and works without.
  external: [/^node:/, 'pg-native'],
  logLevel: 'warn',
  plugins: [addressesOfSources],
})
await bundle.write({
  dir: folder,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
})
await bundle.close()
writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
