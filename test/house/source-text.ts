import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Folders that are fetched, built or made by running, rather than written by hand. */
const NOT_OURS = new Set(['node_modules', '.node', '.git', 'dist', '.tollgate', 'coverage'])

/** The output of `npm run release:build`. */
const RELEASES = join(root, 'release')

/** Paths of the files under a folder of the checkout, from its root, with forward slashes. */
export function filesUnder(folder: string, ending: string): string[] {
  return walk(join(root, folder))
    .filter((path) => path.endsWith(ending))
    .map((path) => relative(root, path).replaceAll('\\', '/'))
    .sort()
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (NOT_OURS.has(entry.name) || path === RELEASES) return []
    return entry.isDirectory() ? walk(path) : [path]
  })
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The names of the packages of this repository, by folder. */
export function packageFolders(): string[] {
  return readdirSync(join(root, 'packages'))
}

/** Every file under `src` of every package. */
export function sourceFiles(): string[] {
  return packageFolders().flatMap((name) => filesUnder(`packages/${name}/src`, '.ts'))
}

/** Code without the comments that stand on lines of their own, which may name what code may not. */
export function withoutComments(text: string): string {
  return text.replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, '').replace(/^[ \t]*\/\/.*$/gm, '')
}

/** The targets of all imports of a file, including type-only ones, dynamic ones and re-exports. */
export function importsOf(text: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g
  return [...withoutComments(text).matchAll(pattern)].map((match) => match[2] ?? '')
}
