// `npm run docs`: installs and builds what is missing, then writes the pages printed from the code.
import { join } from 'node:path'
import { root, run, runMain } from './running.mjs'
import { prepareToolchain } from './toolchain.mjs'

await runMain(async () => {
  const node = await prepareToolchain()
  const file = join(root, 'tools', 'docs', 'write-docs.ts')
  return (await run(node, ['--conditions=tollgate-source', file])).code
})
