// Bundles test files for a whole run:
//   node --conditions=tollgate-source tools/test-run/bundle-tests.ts <folder> <file>...
import { relative } from 'node:path'
import { bundle } from './bundling.ts'
import { testBundleOf } from './test-bundles.ts'

const [folder = '', ...files] = process.argv.slice(2)
const sources = Object.fromEntries(
  files.map((file) => [relative(folder, testBundleOf(file, folder)).replace(/\.js$/, ''), file]),
)
await bundle({ sources, folder, mapsSources: true })
