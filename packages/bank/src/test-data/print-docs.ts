import { readFileSync, writeFileSync } from 'node:fs'
import { fillTables } from './doc-tables.ts'

// Writes the tables of the page from the code: run it after a change of the test cards.
const page = new URL('../../../../docs/test-bank.md', import.meta.url)
writeFileSync(page, fillTables(readFileSync(page, 'utf8')))
