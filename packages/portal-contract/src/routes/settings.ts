import type {
  ApiUserSummary,
  DryRun,
  GoLiveRequest,
  PastChecksView,
  RecentCaller,
  SiteRow,
  SiteSettings,
  SiteView,
  ThreeDsPolicy,
  TriedRules,
} from '../answers/settings.ts'
import { get, post, put, remove } from '../route.ts'

/** The changes, and the values that the page showed: another portal user's change is kept. */
interface Change<Value> {
  readonly changes: Value
  readonly seen: Value
}

interface RulesDraft {
  /** As the portal user wrote them; the gateway names the errors. */
  readonly rules: readonly unknown[]
  readonly exceptAddresses: readonly string[]
}

type CardTestingMode = 'off' | 'watch' | 'enforce'

/** Settings of the whole merchant. */
export const merchant = {
  /** `timeZone`, and `seen` for the one that the page showed: IANA names. */
  changeTimeZone: put('/settings/merchant/time-zone', 'sites.change').answers<
    { readonly timeZone: string },
    { body: { readonly timeZone: string; readonly seen: string } }
  >(),
}

/** The sites' settings. Each change answers with the site's settings after it. */
export const sites = {
  list: get('/settings/sites', 'settings.see').answers<{ readonly sites: readonly SiteRow[] }>(),
  read: get('/settings/sites/:siteId', 'settings.see').answers<SiteView>(),
  change: put('/settings/sites/:siteId', 'sites.change').answers<
    SiteView,
    { body: Change<Partial<SiteSettings>> }
  >(),
  changeCatalogue: put('/settings/sites/:siteId/catalogue', 'sites.change').answers<
    SiteView,
    { body: { readonly catalogue: 'open' | 'strict'; readonly seen: 'open' | 'strict' } }
  >(),
  pastChecks: get('/settings/sites/:siteId/past-checks', 'settings.see').answers<PastChecksView>(),
  changeThreeDs: put('/settings/sites/:siteId/three-ds', 'sites.change').answers<
    SiteView,
    { body: { readonly policy: ThreeDsPolicy; readonly seen: ThreeDsPolicy } }
  >(),
  changeRules: put('/settings/sites/:siteId/card-testing', 'sites.change').answers<
    SiteView,
    { body: { readonly draft: RulesDraft; readonly seenRevision: number } }
  >(),
  changeRulesMode: put('/settings/sites/:siteId/card-testing/mode', 'sites.change').answers<
    SiteView,
    {
      body: {
        readonly mode: CardTestingMode
        readonly seen: { readonly mode: CardTestingMode; readonly revision: number }
      }
    }
  >(),
  tryRules: post('/settings/sites/:siteId/card-testing/try', 'settings.see').answers<
    TriedRules,
    { body: RulesDraft }
  >(),
  makeTokenKey: post('/settings/sites/:siteId/token-keys', 'sites.change').answers<{
    readonly key: string
    readonly previousWorks: boolean
  }>(),
  retireTokenKey: remove(
    '/settings/sites/:siteId/token-keys/previous',
    'sites.change',
  ).answers<SiteView>(),
  changeOrigins: put('/settings/sites/:siteId/token-origins', 'sites.change').answers<
    SiteView,
    { body: { readonly origins: readonly string[]; readonly seen: readonly string[] } }
  >(),
}

/** One portal user asks for a site to be moved between test and live, another one decides. */
export const goLive = {
  list: get('/settings/go-live', 'settings.see').answers<{
    readonly requests: readonly GoLiveRequest[]
  }>(),
  ofSite: get('/settings/sites/:siteId/go-live', 'settings.see').answers<{
    readonly dryRun: DryRun
    readonly requests: readonly GoLiveRequest[]
  }>(),
  request: post('/settings/sites/:siteId/go-live', 'sites.go_live').answers<
    object,
    { body: { readonly digest: string; readonly reason?: string } }
  >(),
  approve: post(
    '/settings/sites/:siteId/go-live/:id/approve',
    'sites.approve_live',
  ).answers<object>(),
  refuse: post('/settings/sites/:siteId/go-live/:id/refuse', 'sites.approve_live').answers<
    object,
    { body: { readonly reason?: string } }
  >(),
  withdraw: post('/settings/sites/:siteId/go-live/:id/withdraw', 'sites.go_live').answers<object>(),
}

interface NewPassword {
  readonly number: number
  /** Shown this once. */
  readonly password: string
}

/** The names and passwords that a merchant's programs sign in with. */
export const apiUsers = {
  list: get('/settings/api-users', 'settings.see').answers<{
    readonly users: readonly ApiUserSummary[]
    readonly idleDays: number
  }>(),
  /** The name with the merchant's ending. */
  add: post('/settings/api-users', 'api_users.change').answers<
    NewPassword & { readonly name: string },
    { body: { readonly name: string } }
  >(),
  addPassword: post(
    '/settings/api-users/:name/passwords',
    'api_users.change',
  ).answers<NewPassword>(),
  retirePassword: remove(
    '/settings/api-users/:name/passwords/:number',
    'api_users.change',
  ).answers<object>(),
  callers: get('/settings/api-users/:name/callers', 'settings.see').answers<{
    readonly callers: readonly RecentCaller[]
  }>(),
  checkNetworks: post('/settings/api-users/:name/networks/check', 'settings.see').answers<
    { readonly networks: readonly string[]; readonly shutOut: readonly RecentCaller[] },
    { body: { readonly networks: readonly string[] } }
  >(),
  changeNetworks: put('/settings/api-users/:name/networks', 'api_users.change').answers<
    object,
    { body: { readonly networks: readonly string[]; readonly seen: readonly string[] } }
  >(),
  disable: post('/settings/api-users/:name/disable', 'api_users.change').answers<object>(),
  enable: post('/settings/api-users/:name/enable', 'api_users.change').answers<object>(),
  setEvents: put('/settings/api-users/:name/events', 'api_users.change').answers<
    object,
    { body: { readonly on: boolean } }
  >(),
}
