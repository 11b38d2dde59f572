import type {
  BankAccount,
  BankLine,
  BankRule,
  ClockAgenda,
  RequestDetail,
  RequestList,
  ResetState,
  SiteClock,
  TestValueRow,
  WhyAnswer,
} from '../answers/developer.ts'
import { get, post, remove, type Done } from '../route.ts'

interface RequestsQuery {
  readonly site?: string
  readonly action?: string
  /** One of `REQUEST_OUTCOMES`. */
  readonly outcome?: string
  /** The API code, and the SERVICE code. */
  readonly api?: string
  readonly service?: string
  readonly user?: string
  readonly address?: string
  readonly from?: string
  readonly to?: string
  /** Whether it became an order: `yes` or `no`. */
  readonly order?: string
  readonly id?: string
  /** The value of `next` on the page before. */
  readonly after?: string
}

/** The request log, and the reasons of an answer. */
export const requests = {
  list: get('/developer/requests', 'developer.see').answers<
    RequestList,
    { query: RequestsQuery }
  >(),
  read: get('/developer/requests/:id', 'developer.see').answers<RequestDetail>(),
  why: get('/developer/requests/:id/why', 'developer.see').answers<WhyAnswer>(),
  whyTransaction: get('/developer/why/:id', 'developer.see').answers<WhyAnswer>(),
}

interface NewBankRule {
  readonly site: string
  /** Which message: `0100`, `0200`, `0220` or `0420`; null: any. */
  readonly mti?: string | null
  readonly last4?: string | null
  /** Minor units. */
  readonly amountMinor?: string | null
  readonly count?: number | null
  readonly action: { readonly kind: string } & Readonly<Record<string, string | number | boolean>>
}

/** The bundled bank as its merchants see it. In the sandbox alone. */
export const testBank = {
  values: get('/developer/test-values', 'developer.see').answers<{
    readonly rows: readonly TestValueRow[]
  }>(),
  request: get('/developer/test-values/request', 'developer.see').answers<
    { readonly curl: string },
    { query: { readonly site: string; readonly key: string } }
  >(),
  accounts: get('/developer/bank/accounts', 'developer.see').answers<{
    readonly accounts: readonly BankAccount[]
  }>(),
  statement: get('/developer/bank/statement', 'developer.see').answers<
    { readonly lines: readonly BankLine[] },
    { query: { readonly account: string } }
  >(),
  faults: get('/developer/bank/faults', 'developer.see').answers<{
    readonly rules: readonly BankRule[]
  }>(),
  addFault: post('/developer/bank/faults', 'developer.change').answers<
    BankRule,
    { body: NewBankRule }
  >(),
  removeFault: remove('/developer/bank/faults/:id', 'developer.change').answers<Done>(),
}

/** Test sites: their clocks, and their fresh start. In the sandbox alone. */
export const testSites = {
  clocks: get('/developer/clocks', 'developer.see').answers<{
    readonly clocks: readonly SiteClock[]
  }>(),
  agenda: get('/developer/clocks/:id/agenda', 'developer.see').answers<
    ClockAgenda,
    { query: { readonly after?: string } }
  >(),
  changeClock: post('/developer/clocks/:id', 'developer.change').answers<
    SiteClock,
    {
      body: {
        readonly action: 'jump' | 'step' | 'speed' | 'stop' | 'reset'
        /** A time, an ISO 8601 duration or a speed, as the action needs it. */
        readonly argument?: string
      }
    }
  >(),
  reset: post('/developer/resets', 'developer.change').answers<
    ResetState,
    {
      body: {
        readonly key: string
        readonly site: string
        /** The number of the site, typed once more. */
        readonly confirmed: string
      }
    }
  >(),
}
