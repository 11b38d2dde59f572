import type { Wire } from '../shell/api.ts'
import type { UndoPlan as PlannedUndo } from './domain/undo.ts'
// What the order page and the virtual terminal read of the portal's API. Types alone.
import type { Exchange as ExchangeView } from './routes/exchange.ts'
import type * as acts from './usecases/acts.ts'
import type * as page from './usecases/order-page.ts'
import type * as pay from './usecases/pay.ts'
import type * as terminal from './usecases/terminal.ts'

export type OrderPage = Wire<page.OrderPage>
export type SeenSums = Wire<page.SeenSums>
export type TimelineEvent = Wire<page.TimelineEvent>
export type OrderLineView = Wire<page.OrderLineView>
export type OrderRefusal = Wire<page.OrderRefusal>
export type UndoPlan = Wire<PlannedUndo>
export type Exchange = Wire<ExchangeView>
export type ActAnswer = Wire<acts.ActAnswer>
export type ActDone = Extract<ActAnswer, { kind: 'done' }>
export type PaymentAnswer = Wire<pay.PaymentAnswer>
export type EarlierPayment = Wire<pay.EarlierPayment>
export type TerminalSite = Wire<terminal.TerminalSite>
export type SavedCardFound = Wire<terminal.SavedCardFound>
export type SignedTokenRequest = Wire<terminal.SignedTokenRequest>
