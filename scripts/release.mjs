// `npm run release -- VERSION`: cuts a release (tools/release/cut-main.ts).
import { join } from 'node:path'
import { root, run, runMain } from './running.mjs'
import { prepareToolchain } from './toolchain.mjs'

await runMain(async (args) => {
  const node = await prepareToolchain()
  return (await run(node, [join(root, 'tools', 'release', 'cut-main.ts'), ...args])).code
})
