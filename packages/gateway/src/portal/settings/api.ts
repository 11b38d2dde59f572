import type * as users from '../../usecases/logins/api-users.ts'
import type { Wire } from '../shell/api.ts'
// What the settings pages read. Types alone: nothing here runs.
import type { TriedRules as TriedRulesHere } from './routes/site-routes.ts'
import type * as live from './usecases/going-live.ts'
import type * as settings from './usecases/settings.ts'

export type SiteRow = Wire<settings.SiteRow>
export type SiteView = Wire<settings.SiteView>
export type AccountView = Wire<settings.AccountView>
export type PastChecksView = Wire<settings.PastChecksView>
export type RecentCaller = Wire<settings.RecentCaller>
export type GoLiveRequest = Wire<live.GoLiveRequest>
export type DryRun = Wire<live.DryRun>
export type ApiUserSummary = Wire<users.ApiUserSummary>
export type TriedRules = Wire<TriedRulesHere>
export type { CardTestingRule } from '../../domain/card-testing/card-testing.ts'
export type { Difference } from './domain/going-live.ts'
export type { SiteSettings } from '../../domain/merchants/site-settings.ts'
export type { ThreeDsPolicy } from '../../domain/three-ds/policy.ts'
