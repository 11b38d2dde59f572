// `npm run docs`: writes the pages of the documentation that are printed from the code.
import { writeFileSync } from 'node:fs'
import { MAPPING_SCHEMA, mappingSchemaText } from './mapping-schema.ts'
import { STATE_PAGE, statePage } from './state-page.ts'

writeFileSync(new URL(`../../${STATE_PAGE}`, import.meta.url), statePage())
writeFileSync(new URL(`../../${MAPPING_SCHEMA}`, import.meta.url), mappingSchemaText())
