// `npm run ratchet`: installs what is missing, then lowers the numbers in test/house/sizes.json.
import { join } from 'node:path'
import { root, run, runMain } from './running.mjs'
import { prepareToolchain } from './toolchain.mjs'

await runMain(async () => {
  const node = await prepareToolchain()
  return (await run(node, [join(root, 'test', 'house', 'lower-sizes.ts')])).code
})
