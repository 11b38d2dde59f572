import { writeFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Looks for the programs beside itself, which it shall do in the bundle. */
const FINDS_PROGRAMS = join(ROOT, 'packages/tollgate/src/command-line.ts')

/** Modules look for files by their own address, which is that of the source for them. */
const addressesOfSources: Plugin = {
  name: 'addresses of sources',
  transform(code, id) {
    if (!isAbsolute(id) || id.includes('node_modules') || id === FINDS_PROGRAMS) return null
    if (!code.includes('import.meta.')) return null
    const address = JSON.stringify(pathToFileURL(id).href)
    const resolve = `pathToFileURL(createRequire(${address}).resolve(name)).href`
    const imports =
      "import { createRequire } from 'node:module'; import { pathToFileURL } from 'node:url';"
    const changed = code.includes('import.meta.resolve(')
      ? imports + code.replace('import.meta.resolve(name)', resolve)
      : code
          .replaceAll('import.meta.url', address)
          .replaceAll('import.meta.dirname', JSON.stringify(join(id, '..')))
    // No line moves.
    return { code: changed, map: null }
  },
}

/** Packages that look for files of their own beside their modules stay where they are. */
const packagesApart: Plugin = {
  name: 'packages apart',
  resolveId(name) {
    if (name !== 'playwright-core') return null
    return { id: import.meta.resolve(name), external: 'absolute' }
  },
}

export interface Bundling {
  /** The source of each bundle, by the bundle's path in the folder without `.js`. */
  readonly sources: Readonly<Record<string, string>>
  readonly folder: string
  /** Whether a stack trace shall name sources, in a process with `--enable-source-maps`. */
  readonly mapsSources: boolean
}

/** Bundles programs with all their packages. They share the modules that several of them need. */
export async function bundle({ sources, folder, mapsSources }: Bundling): Promise<void> {
  const made = await rolldown({
    input: sources,
    platform: 'node',
    resolve: { conditionNames: ['tollgate-source', 'node'] },
    // pg looks for it, and works without.
    external: [/^node:/, 'pg-native'],
    logLevel: 'warn',
    checks: { sourcemapBroken: false },
    plugins: [addressesOfSources, packagesApart],
  })
  await made.write({
    dir: folder,
    format: 'esm',
    sourcemap: mapsSources,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  })
  await made.close()
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
}
