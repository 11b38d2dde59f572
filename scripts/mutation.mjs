// `npm run mutation`: installs and builds what is missing, then runs tools/mutation/run.ts with our
// arguments.
import { join } from 'node:path'
import { root, run, runMain } from './running.mjs'
import { prepareToolchain } from './toolchain.mjs'

await runMain(async (args) => {
  const node = await prepareToolchain()
  const file = join(root, 'tools', 'mutation', 'run.ts')
  const options = ['--conditions=tollgate-source', '--disable-warning=ExperimentalWarning']
  return (await run(node, [...options, file, ...args])).code
})
