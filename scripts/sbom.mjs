// `npm run sbom`: installs and builds what is missing, then writes sbom.cdx.json.
import { join } from 'node:path'
import { root, run, runMain } from './running.mjs'
import { prepareToolchain } from './toolchain.mjs'

await runMain(async () => {
  const node = await prepareToolchain()
  return (await run(node, [join(root, 'tools', 'supply-chain', 'write-sbom.ts')])).code
})
