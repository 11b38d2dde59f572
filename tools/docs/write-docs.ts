// `npm run docs`: writes the pages of the documentation that are printed from the code.
import { mkdirSync, writeFileSync } from 'node:fs'
import { CLIENT_EVENT_TYPES, clientEventTypes } from './client-event-types.ts'
import { CODES_PAGE, codesPage } from './codes-page.ts'
import { DASHBOARD, dashboardText } from './dashboard.ts'
import { EVENT_SCHEMAS, eventSchemaTexts } from './event-schemas.ts'
import { MAPPING_SCHEMA, mappingSchemaText } from './mapping-schema.ts'
import { OUTCOMES_PAGE, outcomesPage } from './outcomes-page.ts'
import { SANDBOX_OPERATIONS_PAGE, sandboxOperationsPage } from './sandbox-operations-page.ts'
import { SANDBOX_SITES_PAGE, sandboxSitesPage } from './sandbox-sites-page.ts'
import { SANDBOX_TEST_PAGE, sandboxTestPage } from './sandbox-test-page.ts'
import { STATE_PAGE, statePage } from './state-page.ts'
import { TEST_BANK_PAGE, testBankPage } from './test-bank-page.ts'

writeFileSync(new URL(`../../${STATE_PAGE}`, import.meta.url), statePage())
writeFileSync(new URL(`../../${SANDBOX_SITES_PAGE}`, import.meta.url), sandboxSitesPage())
writeFileSync(new URL(`../../${SANDBOX_TEST_PAGE}`, import.meta.url), sandboxTestPage())
writeFileSync(new URL(`../../${SANDBOX_OPERATIONS_PAGE}`, import.meta.url), sandboxOperationsPage())
writeFileSync(new URL(`../../${OUTCOMES_PAGE}`, import.meta.url), outcomesPage())
writeFileSync(new URL(`../../${TEST_BANK_PAGE}`, import.meta.url), testBankPage())
writeFileSync(new URL(`../../${CODES_PAGE}`, import.meta.url), codesPage())
writeFileSync(new URL(`../../${MAPPING_SCHEMA}`, import.meta.url), mappingSchemaText())
writeFileSync(new URL(`../../${DASHBOARD}`, import.meta.url), dashboardText())

const schemas = new URL(`../../${EVENT_SCHEMAS}/`, import.meta.url)
mkdirSync(schemas, { recursive: true })
for (const [name, text] of eventSchemaTexts()) writeFileSync(new URL(name, schemas), text)
writeFileSync(new URL(`../../${CLIENT_EVENT_TYPES}`, import.meta.url), clientEventTypes())
