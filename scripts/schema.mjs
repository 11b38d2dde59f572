// `npm run schema`: installs and builds what is missing, then writes migrations/schema.sql.
import { join } from 'node:path'
import { root, run, runMain } from './running.mjs'
import { prepareToolchain } from './toolchain.mjs'

await runMain(async () => {
  const node = await prepareToolchain()
  const file = join(root, 'tools', 'schema', 'write-schema.ts')
  return (await run(node, ['--conditions=tollgate-source', file])).code
})
