// `npm run release:build`: installs and builds what is missing, then makes the files of a release
// with our arguments (tools/release/run.ts).
import { join } from 'node:path'
import { root, run, runMain } from './running.mjs'
import { prepareToolchain } from './toolchain.mjs'

await runMain(async (args) => {
  const node = await prepareToolchain()
  return (await run(node, [join(root, 'tools', 'release', 'run.ts'), ...args])).code
})
