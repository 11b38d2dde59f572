// What the pages for developers read of the portal's API. Types alone.
import type { RequestDetail as Detail } from './http/portal/developer-requests.ts'
import type { Wire } from './portal-api.ts'
import type * as requests from './usecases/portal/developer/request-views.ts'

export type RequestRow = Wire<requests.RequestRow>
export type RequestOutcome = requests.RequestOutcome
export type RequestDetail = Wire<Detail>

export interface RequestList {
  readonly rows: readonly RequestRow[]
  readonly next: string | null
  readonly lookedBackTo: string | null
  readonly actions: readonly string[]
}
