// What the pages for developers read of the portal's API. Types alone.
import type * as why from './usecases/portal/developer/why-rows.ts'
import type * as whyFacts from './domain/portal/why-facts.ts'
import type * as testBank from './domain/portal/test-bank.ts'
import type { Wire } from './portal-api.ts'
import type * as requests from './usecases/portal/developer/request-views.ts'

export type RequestRow = Wire<requests.RequestRow>
export type RequestOutcome = requests.RequestOutcome
export type RequestDetail = Wire<requests.RequestDetail>
export type WhyAnswer = Wire<why.WhyAnswer>
export type WhyStep = Wire<whyFacts.WhyStep>
export type TestBankTables = testBank.TestBankTables

export interface RequestList {
  readonly rows: readonly RequestRow[]
  readonly next: string | null
  readonly lookedBackTo: string | null
  readonly actions: readonly string[]
}
