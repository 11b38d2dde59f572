import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Literals, type Passage, passagesOfSource } from './passages.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

const NOT_OURS = /(^|\/)(node_modules|dist|\.tollgate|\.node|results)(\/|$)/

/** Paths of all files that hold prose, from the checkout's root. */
export function proseFiles(): string[] {
  const patterns = [
    '*.md',
    '.github/**/*.md',
    '{docs,examples,packages,test,tools}/**/*.md',
    '{examples,packages,test,tools,scripts}/**/*.{ts,tsx,mjs,js}',
  ]
  const options = { cwd: root, exclude: (path: string) => NOT_OURS.test(path) }
  const paths = patterns.flatMap((pattern) => globSync(pattern, options))
  return paths.map((path) => path.replaceAll('\\', '/')).sort()
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The prose of a file. */
export function passagesOf(path: string, text: string): Passage[] {
  if (path.endsWith('.md')) return [{ kind: 'document', line: 1, markdown: text }]
  return passagesOfSource(path, text, literalsOf(path))
}

const PORTAL = /^packages\/(portal|portal-contract|kernel)\/src\/|^packages\/gateway\/src\/portal\//
const COMMANDS = /^packages\/tollgate\/src\//
const SHIPPED = /^packages\/[^/]+\/(src|browser|hosted-field|three-ds-pages)\/|^(tools|scripts)\//

/** The strings of a test are input, and no prose. */
function literalsOf(path: string): Literals {
  if (PORTAL.test(path)) return { kind: 'portal text', scope: 'words' }
  if (COMMANDS.test(path)) return { kind: 'help text', scope: 'words' }
  return SHIPPED.test(path) ? { kind: 'message', scope: 'sentences' } : null
}
