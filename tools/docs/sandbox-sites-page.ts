import { readFileSync } from 'node:fs'
import type { SiteTrial } from '../../packages/gateway/src/http/sandbox/published-site.ts'
import { PUBLISHED_SITES } from '../../packages/gateway/src/http/sandbox/published-sites.ts'
import {
  PUBLISHED_USERS,
  SITUATIONS_USER,
} from '../../packages/gateway/src/http/sandbox/published-users.ts'
import { table, withTables } from './doc-page.ts'

/** Relative to the root of the repository. */
export const SANDBOX_SITES_PAGE = 'docs/integrators/sandbox-sites.md'

/** The page with its tables written from the list that makes the sites; its text stays. */
export function sandboxSitesPage(): string {
  const page = readFileSync(new URL(`../../${SANDBOX_SITES_PAGE}`, import.meta.url), 'utf8')
  return withTables(page, {
    'published-sites': () =>
      table([
        ['SITE_ID', 'MERCH_ACCT_ID', 'Situation'],
        ...PUBLISHED_SITES.map(({ account, id, meaning }) => [
          String(id),
          String(account),
          `${meaning.slice(0, 1).toUpperCase()}${meaning.slice(1)}.`,
        ]),
      ]),
    'published-answers': () =>
      table([
        ['SITE_ID', 'Difference', 'Answer'],
        ...PUBLISHED_SITES.flatMap(({ id, trials }) =>
          trials.map((trial) => [String(id), trial.when || 'none', answerOf(trial)]),
        ),
      ]),
    'published-users': () =>
      table([
        ['REQ_USERNAME', 'User', 'Request', 'Answer'],
        [`\`${SITUATIONS_USER}\``, 'may do everything', 'any', 'as above'],
        ...PUBLISHED_USERS.map(({ meaning, trial, username }) => [
          `\`${username}\``,
          meaning,
          trial.path === null ? trial.when : `${trial.when} of \`${trial.path}\``,
          answerOf(trial),
        ]),
      ]),
  })
}

function answerOf({ answer }: SiteTrial): string {
  const { API_RESPONSE: api, REF_FIELD: field, SERVICE_RESPONSE: service = 0 } = answer
  if (answer['status'] !== undefined) return `HTTP ${answer['status']}`
  const code = api === '0' ? `SERVICE ${service}` : `API ${api}`
  const state = answer['TRANS_STATUS_NAME']
  return [state, code, field].filter((part) => part !== undefined).join(', ')
}
