import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ROOT } from './scope.ts'

const COLLECTOR = new URL('test-collector.ts', import.meta.url).href
const ROUND = '?mutant='

/** One mistake, and the files that are loaded again to see it. */
interface Round {
  readonly source: string
  readonly code: string
  readonly affected: ReadonlySet<string>
}

/** How the modules of this process are loaded. */
export interface Modules {
  /** Pairs of importing and imported file since the last call. */
  readonly takeImports: () => (readonly [from: string, to: string])[]
  readonly begin: (source: string, text: string, affected: readonly string[]) => void
  readonly load: (path: string) => Promise<unknown>
}

/**
 * Lets files of the checkout be loaded again with a mistake in one of them. A module that is loaded
 * again has another address, because Node never forgets one.
 */
export function hookModules(): Modules {
  let round: Round | null = null
  let rounds = 0
  let imports: (readonly [string, string])[] = []
  const stripped = new Map<string, string>()

  registerHooks({
    resolve: (specifier, context, next) => {
      const parent = context.parentURL?.split('?')[0]
      if (specifier === 'node:test' && parent !== COLLECTOR) return next(COLLECTOR, context)
      const found = next(specifier, context)
      const path = pathOf(found.url)
      if (path === null) return found
      const from = parent === undefined ? null : pathOf(parent)
      if (from !== null) imports.push([from, path])
      return round?.affected.has(path) ? { ...found, url: `${found.url}${ROUND}${rounds}` } : found
    },
    load: (url, context, next) => {
      const path = pathOf(url)
      if (path === null || !path.endsWith('.ts')) return next(url, context)
      const isMutant = round?.source === path && url.includes(ROUND)
      const source = isMutant ? (round?.code ?? '') : (stripped.get(path) ?? strip(path))
      if (!isMutant) stripped.set(path, source)
      return { format: 'module', source, shortCircuit: true }
    },
  })
  return {
    takeImports: () => {
      const taken = imports
      imports = []
      return taken
    },
    begin: (source, text, affected) => {
      rounds += 1
      round = { source, code: stripTypeScriptTypes(text), affected: new Set(affected) }
    },
    load: (path) => {
      const again = round?.affected.has(path) ? `${ROUND}${rounds}` : ''
      return import(`${pathToFileURL(join(ROOT, path)).href}${again}`)
    },
  }
}

/** The path of one of our files from the checkout's root; null for all others. */
export function pathOf(url: string): string | null {
  const address = url.split('?')[0] ?? ''
  if (!address.startsWith('file:') || address.includes('/node_modules/')) return null
  const path = relative(ROOT, fileURLToPath(address)).split(sep).join('/')
  return path.startsWith('..') ? null : path
}

function strip(path: string): string {
  return stripTypeScriptTypes(readFileSync(join(ROOT, path), 'utf8'))
}
