// `npm run check`: runs every check of types, style and prose, with the packages that are there.
import { checkAll } from './checks.mjs'
import { runMain } from './running.mjs'

await runMain(async () => ((await checkAll(process.execPath)) ? 0 : 1))
