// `npm run bench:history`: installs and builds what is missing, then runs tools/bench/history.ts
// with our arguments.
import { join } from 'node:path'
import { root, run, runMain } from './running.mjs'
import { prepareToolchain } from './toolchain.mjs'

await runMain(async (args) => {
  const node = await prepareToolchain()
  const file = join(root, 'tools', 'bench', 'history.ts')
  const { code } = await run(node, ['--conditions=tollgate-source', file, ...args])
  return code
})
