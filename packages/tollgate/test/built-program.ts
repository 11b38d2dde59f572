import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** The programs that tests start most, from the checkout's root. */
export const PROGRAMS: readonly string[] = [
  'packages/bank/src/main.ts',
  'packages/gateway/src/main.ts',
  'packages/gateway/src/prepare.ts',
  'packages/gateway/src/vault-main.ts',
  'packages/tollgate/src/cli.ts',
  'test/support/measured-gateway-main.ts',
  'tools/torture/broken-bank-main.ts',
  'tools/torture/broken-gateway-main.ts',
  'tools/torture/broken-tollgate-main.ts',
]

/**
 * The file of a program in a folder of bundles. Those of packages lie as after a build, where they
 * look for each other.
 * @param source from the checkout's root
 */
export function bundleOf(source: string, folder: string): string {
  return join(folder, source.replace(/^(packages\/[^/]+)\/src\//, '$1/dist/').replace(/ts$/, 'js'))
}

/**
 * Copies the bundles, if a run made them, so that they look for files in another checkout than ours.
 * @returns the folder of the copies; null without bundles
 */
export function copyBundles(checkout: string): string | null {
  const from = process.env['TOLLGATE_TEST_PROGRAMS']
  if (from === undefined) return null
  const to = join(checkout, 'bundles')
  const [ours, theirs] = [ROOT, `${checkout}/`].map((folder) => pathToFileURL(folder).href)
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (!statSync(join(from, name)).isFile()) continue
    const text = readFileSync(join(from, name), 'utf8')
    mkdirSync(dirname(join(to, name)), { recursive: true })
    writeFileSync(join(to, name), text.replaceAll(ours ?? '', theirs ?? ''))
  }
  return to
}

/**
 * The file to start for a program: its bundle, which a whole run of the tests makes, and otherwise
 * its source.
 * @param source an address or a path
 */
export function builtProgram(source: URL | string): string {
  const path = typeof source === 'string' ? source : fileURLToPath(source)
  const folder = process.env['TOLLGATE_TEST_PROGRAMS']
  const named = relative(ROOT, path)
  return folder !== undefined && PROGRAMS.includes(named) ? bundleOf(named, folder) : path
}
