// `npm run ratchet`: installs what is missing, then lowers the numbers in
// test/house/sizes.json and tools/prose-lint/record.json.
import { join } from 'node:path'
import { root, run, runMain } from './running.mjs'
import { prepareToolchain } from './toolchain.mjs'

await runMain(async () => {
  const node = await prepareToolchain()
  const sizes = await run(node, [join(root, 'test', 'house', 'lower-sizes.ts')])
  const prose = await run(node, [join(root, 'tools', 'prose-lint', 'run.ts'), '--lower'])
  return sizes.code || prose.code
})
