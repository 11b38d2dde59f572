import { ORDINARY, type Parameters, type SiteTrial } from './published-site.ts'
import { PUBLISHED_SITES } from './published-sites.ts'
import { PUBLISHED_USERS, SITUATIONS_PASSWORD, SITUATIONS_USER } from './published-users.ts'

/** The sites and API users for situations, as `/sandbox/values` lists them. */
export function publishedSiteRecords(): { readonly sites: object[]; readonly users: object[] } {
  const [first] = PUBLISHED_SITES
  return {
    sites: PUBLISHED_SITES.map(({ account, id, meaning, name, trials }) => ({
      name,
      meaning,
      account,
      login: loginOf(SITUATIONS_USER, id),
      tokenKey: `sandbox-site-key-${id}`,
      trials: trials.map(trialRecord),
    })),
    users: PUBLISHED_USERS.map(({ meaning, trial, username }) => ({
      meaning,
      login: loginOf(username, first?.id ?? 0),
      trials: [trialRecord(trial)],
    })),
  }
}

function loginOf(username: string, siteId: number): Parameters {
  return {
    REQ_USERNAME: username,
    REQ_PASSWORD: SITUATIONS_PASSWORD,
    SITE_ID: String(siteId),
  }
}

function trialRecord({ after, answer, path, sends, when }: SiteTrial): object {
  const parameters = Object.fromEntries(
    Object.entries({ ...ORDINARY, ...sends }).filter(([, value]) => value !== null),
  )
  return {
    when,
    ...(path === null ? {} : { path }),
    ...(after.length === 0 ? {} : { before: after.map((more) => ({ ...parameters, ...more })) }),
    parameters,
    answer,
  }
}
