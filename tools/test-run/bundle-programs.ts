// Bundles the programs that tests start:
//   node --conditions=tollgate-source tools/test-run/bundle-programs.ts <folder>
//
// A program of 1,500 modules computes for more than a second before its first own statement, and a
// run starts hundreds. Bundled, it computes for a third of that.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleOf, PROGRAMS } from '../../packages/tollgate/test/built-program.ts'
import { bundle } from './bundling.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const [folder = ''] = process.argv.slice(2)
const sources = Object.fromEntries(
  PROGRAMS.map((source) => [bundleOf(source, '').replace(/\.js$/, ''), join(ROOT, source)]),
)
await bundle({ sources, folder, mapsSources: false })
