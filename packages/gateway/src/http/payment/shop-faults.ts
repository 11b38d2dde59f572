import { testTimeMs, TIME, type TestWord } from '@tollgate/iso8583'
import type { PaymentCommand } from '../../usecases/payments/payment-command.ts'
import type { RefusalName } from './refusals.ts'

/** How an answer reaches the shop, for shops that test it. `delayMs` passes before it. */
export type FaultyDelivery =
  | { readonly kind: 'late'; readonly delayMs: number }
  /** The connection is closed instead. */
  | { readonly kind: 'lost'; readonly delayMs: number }
  /** The connection is closed after so many hundredths of the body. */
  | { readonly kind: 'torn'; readonly delayMs: number; readonly percent: number }
  /** The same form is carried out twice, as if something in between had repeated it. */
  | { readonly kind: 'twice'; readonly delayMs: number }

/** A fault between shop and gateway. A refusal comes before anything has happened. */
export type ShopFault =
  | FaultyDelivery
  | { readonly kind: 'refusal'; readonly name: RefusalName; readonly delayMs: number }

/** The words about the way between shop and gateway. Merchants have tests against them. */
export const SHOP_TEST_WORDS = {
  shop: {
    meaning: 'The fault between your shop and the gateway.',
    values: {
      lost: 'the request is carried out, and the connection closes without an answer',
      torn: 'the request is carried out, and the connection closes in the middle of the answer',
      late: 'the request is carried out; the answer comes 10 seconds later, or after shop-delay',
      twice: 'the request arrives twice, as if a proxy had repeated it; you get the second answer',
      'http-503': 'HTTP 503 with Retry-After; nothing was carried out',
      'http-429': 'HTTP 429 with Retry-After, SERVICE 215; nothing was carried out',
      'api-120': 'API 120; nothing was carried out',
    },
    form: null,
  },
  'shop-delay': { meaning: 'The answer comes so much later.', values: null, form: TIME },
  once: {
    meaning:
      'A name of your choice. Faults of shop and shop-delay strike only the first request of the ' +
      'site with this name, so that an automatic retry succeeds.',
    values: null,
    form: { pattern: /^[a-z0-9-]{1,20}$/, expected: '1 to 20 small letters, digits and dashes' },
  },
} as const satisfies Readonly<Record<string, TestWord>>

const LATE_MS = 10_000
const HALF = 50

/** The fault that the words ask for; null for none. */
export function shopFaultOf(words: ReadonlyMap<string, string>): ShopFault | null {
  const delay = words.get('shop-delay')
  const delayMs = delay === undefined ? 0 : testTimeMs(delay)
  const fault: string = words.get('shop') ?? ''
  switch (fault) {
    case 'lost':
      return { kind: 'lost', delayMs }
    case 'torn':
      return { kind: 'torn', delayMs, percent: HALF }
    case 'twice':
      return { kind: 'twice', delayMs }
    case 'late':
      return { kind: 'late', delayMs: delay === undefined ? LATE_MS : delayMs }
    case 'http-503':
      return { kind: 'refusal', name: 'unavailable', delayMs }
    case 'http-429':
      return { kind: 'refusal', name: 'rate_exceeded', delayMs }
    case 'api-120':
      return { kind: 'refusal', name: 'system_error', delayMs }
    default:
      return delay === undefined ? null : { kind: 'late', delayMs }
  }
}

/** One hundred amounts of a payment that decide how its answer reaches the shop. */
export interface ShopFaultAmount {
  /** As a merchant writes it; `nn` stands for any cents. */
  readonly amount: string
  readonly meaning: string
  readonly fault: (cents: number) => FaultyDelivery
}

/** For shops that cannot add a parameter. The bank has no such amounts. */
export const SHOP_FAULT_AMOUNTS: readonly ShopFaultAmount[] = [
  {
    amount: '9120.nn',
    meaning: 'the connection closes without an answer, for every nn',
    fault: () => ({ kind: 'lost', delayMs: 0 }),
  },
  {
    amount: '9121.nn',
    meaning: 'the answer comes nn seconds later',
    fault: (cents) => ({ kind: 'late', delayMs: cents * 1_000 }),
  },
  {
    amount: '9122.nn',
    meaning: 'the connection closes after nn hundredths of the answer',
    fault: (cents) => ({ kind: 'torn', delayMs: 0, percent: cents }),
  },
]

const BY_MAJOR: ReadonlyMap<bigint, ShopFaultAmount> = new Map(
  SHOP_FAULT_AMOUNTS.map((row) => [BigInt(row.amount.slice(0, 4)), row]),
)

/**
 * The fault of a payment's whole amount; null for none. Only sites in test mode and currencies with
 * two decimals have such amounts.
 */
export function faultOfAmount({
  currency,
  site,
  totalMinor,
}: Pick<PaymentCommand, 'currency' | 'site' | 'totalMinor'>): FaultyDelivery | null {
  if (site.mode !== 'test' || currency?.digits !== 2) return null
  return BY_MAJOR.get(totalMinor / 100n)?.fault(Number(totalMinor % 100n)) ?? null
}
