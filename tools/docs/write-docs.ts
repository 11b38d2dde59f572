// `npm run docs`: writes the pages of the documentation that are printed from the code.
import { writeFileSync } from 'node:fs'
import { STATE_PAGE, statePage } from './state-page.ts'

writeFileSync(new URL(`../../${STATE_PAGE}`, import.meta.url), statePage())
