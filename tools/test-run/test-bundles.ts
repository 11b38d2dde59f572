import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MAKER = fileURLToPath(new URL('bundle-tests.ts', import.meta.url))

/** Their files load a whole gateway. */
const LOAD_GATEWAYS = /^test\/(?:browser|canary|fuzz|scenarios|three-ds|torture)\//

/**
 * Whether a whole run bundles a test file. It has 1,500 modules, which compute for a second when
 * Node finds, strips and links each of them.
 * @param file from the checkout's root, with slashes
 */
export function isBundled(file: string): boolean {
  return LOAD_GATEWAYS.test(file)
}

/** The bundle of a test file in a folder of such bundles. @param file an absolute path */
export function testBundleOf(file: string, folder: string): string {
  return join(folder, relative(ROOT, file).replace(/ts$/, 'js'))
}

/**
 * Bundles test files in a process of its own, whose memory goes with it.
 * @param files absolute paths
 * @returns the bundle of each file; empty where none could be made, so that the sources run
 */
export async function bundleTests(
  files: readonly string[],
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  if (files.length === 0) return new Map()
  const args = ['--conditions=tollgate-source', MAKER, folder, ...files]
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')
  return new Map(code === 0 ? files.map((file) => [file, testBundleOf(file, folder)]) : [])
}
