// `npm run screenshots`: starts a sandbox of its own with sample orders, and writes the pictures of
// docs/portal. Needs Chromium (apt-get install chromium).
import { join } from 'node:path'
import { root, run, runMain } from './running.mjs'
import { prepareToolchain } from './toolchain.mjs'

await runMain(async (args) => {
  const node = await prepareToolchain()
  const file = join(root, 'test', 'browser', 'screenshots.ts')
  const { code } = await run(node, ['--conditions=tollgate-source', file, ...args])
  return code
})
