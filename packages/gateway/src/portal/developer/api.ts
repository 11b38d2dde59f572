import type * as bank from '../../usecases/banks/test-bank-views.ts'
import type { Wire } from '../shell/api.ts'
import type * as values from './domain/test-value-rows.ts'
import type * as whyFacts from './domain/why-facts.ts'
import type * as clocks from './usecases/clock-views.ts'
import type * as requests from './usecases/request-views.ts'
import type * as reset from './usecases/reset-site.ts'
// What the pages for developers read of the portal's API. Types alone.
import type * as why from './usecases/why-rows.ts'

export type RequestRow = Wire<requests.RequestRow>
export type RequestOutcome = requests.RequestOutcome
export type RequestDetail = Wire<requests.RequestDetail>
export type WhyAnswer = Wire<why.WhyAnswer>
export type WhyStep = Wire<whyFacts.WhyStep>

export interface RequestList {
  readonly rows: readonly RequestRow[]
  readonly next: string | null
  readonly lookedBackTo: string | null
  readonly actions: readonly string[]
}

export type TestValueRow = values.TestValueRow
export type TestValueKind = values.TestValueKind
export type BankAccount = bank.BankAccount
export type BankLine = bank.BankLine
export type BankRule = bank.BankRule & { readonly isOwn: boolean }
export type SiteClock = Wire<clocks.SiteClock>
export type ClockAgenda = Wire<clocks.ClockAgenda>
export type ResetState = Wire<reset.ResetState>
