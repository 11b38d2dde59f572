// What the portal's API answers for the home page.
import type { Wire } from '../shell/api.ts'
import type * as home from './usecases/home.ts'

export type HomeFigures = Wire<home.HomeFigures>
export type PeriodSums = Wire<home.PeriodSums>
export type PaymentSums = Wire<home.PaymentSums>
export type CurrencyAmount = Wire<home.CurrencyAmount>
export type HomeChart = Wire<home.HomeChart>
export type HomeWork = Wire<home.HomeWork>
export type OpenAuthorizationPage = Wire<home.OpenAuthorizationPage>
export type OpenAuthorization = Wire<home.OpenAuthorization>
