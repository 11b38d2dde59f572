import type {
  OperationDone,
  Exchange,
  OrderPage,
  PaymentAnswer,
  SavedCardFound,
  SeenSums,
  SignedTokenRequest,
  TerminalSite,
  VoidOrRefundResult,
} from '../answers/order.ts'
import type { VoidOrRefundPlan } from '../answers/void-or-refund.ts'
import { get, post, type Done } from '../route.ts'

/** A random text that identifies an operation, so that a retry does not repeat it. */
interface Keyed {
  readonly key: string
}

interface Adjustment extends Keyed {
  /** Null: all there is. */
  readonly amount: string | null
  readonly lineId?: string | null
  readonly seen: SeenSums
}

interface VoidOrRefund extends Keyed {
  readonly currency: string
  readonly steps: readonly {
    readonly does: 'void' | 'capture_void' | 'refund'
    readonly minor: string
    readonly whole: boolean
  }[]
  readonly seen: SeenSums
}

interface Charge extends Keyed {
  readonly amount: string
  readonly reference?: string
  readonly duplicateOk?: boolean
}

export interface TerminalPayment extends Keyed {
  readonly does: 'sale' | 'authorization' | 'check'
  readonly siteId: string
  readonly accountId?: string | null
  readonly currency: string
  readonly lines: readonly {
    readonly product?: string
    readonly count?: number
    readonly amount: string
  }[]
  readonly card:
    | {
        readonly kind: 'token'
        readonly token: string
        readonly last4: string
        readonly expiryMonth: number
        readonly expiryYear: number
      }
    | { readonly kind: 'saved'; readonly customerId: string; readonly paymentMethodId: string }
  readonly customer: {
    readonly firstName?: string
    readonly lastName?: string
    readonly email?: string
    readonly phone?: string
  }
  readonly billing: {
    readonly street?: string
    readonly street2?: string
    readonly city?: string
    readonly state?: string
    readonly postalCode?: string
    readonly country?: string
  }
  readonly reference?: string
  readonly duplicateOk?: boolean
}

/** The cards of one customer, or those that a text finds. */
type CardsQuery =
  | { readonly site: string; readonly customer: string }
  | { readonly site: string; readonly text: string }

/** The order page and its operations. */
export const order = {
  page: get('/orders/:id', 'orders.see').answers<OrderPage>(),
  exchange: get('/orders/:id/transactions/:transaction/exchange', 'orders.see').answers<Exchange>(),
  planVoidOrRefund: get('/orders/:id/void-or-refund', 'orders.void').answers<
    VoidOrRefundPlan,
    { query: { readonly amount: string } }
  >(),
  capture: post('/orders/:id/captures', 'orders.capture').answers<
    OperationDone,
    { body: Adjustment }
  >(),
  void: post('/orders/:id/voids', 'orders.void').answers<OperationDone, { body: Adjustment }>(),
  captureVoid: post('/orders/:id/capture-voids', 'orders.void').answers<
    OperationDone,
    { body: Adjustment }
  >(),
  refund: post('/orders/:id/refunds', 'orders.refund').answers<
    OperationDone,
    { body: Adjustment }
  >(),
  voidOrRefund: post('/orders/:id/void-or-refund', 'orders.void').answers<
    { readonly steps: readonly VoidOrRefundResult[] },
    { body: VoidOrRefund }
  >(),
  charge: post('/orders/:id/charges', 'orders.charge').answers<PaymentAnswer, { body: Charge }>(),
  writeNote: post('/orders/:id/notes', 'orders.note').answers<
    Done,
    { body: Keyed & { readonly text: string } }
  >(),
}

/** The virtual terminal. The card itself never comes here: only a token of it. */
export const terminal = {
  sites: get('/terminal/sites', 'terminal.use').answers<readonly TerminalSite[]>(),
  cards: get('/terminal/cards', 'terminal.use').answers<
    readonly SavedCardFound[],
    { query: CardsQuery }
  >(),
  sign: post('/terminal/signatures', 'terminal.use').answers<
    SignedTokenRequest,
    { body: { readonly siteId: string } }
  >(),
  pay: post('/terminal/payments', 'terminal.use').answers<
    PaymentAnswer,
    { body: TerminalPayment }
  >(),
}
