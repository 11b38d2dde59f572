import type { Fault } from '../acquirer/fault.ts'
import { decimalsOf } from '../issuer/currencies.ts'

/** The role of a message in the order whose amount decides. */
export type FaultStep = 'request' | 'capture' | 'refund' | 'reversal' | 'reconciliation'

/** One hundred amounts with the same major units. Their effect never changes. */
export interface FaultAmount {
  /** As a merchant writes it; `nn` stands for any cents. */
  readonly amount: string
  readonly steps: readonly FaultStep[]
  readonly meaning: string
  /** The fault of these cents; null for a repeat that is processed normally. */
  readonly fault: (cents: number, isRepeat: boolean) => Fault | null
}

const CENTS_MS = 100
const OVERTAKEN_MS = 2_000
const HOST_FAULTS = ['wrong_stan', 'wrong_amount', 'wrong_bitmap'] as const
const REVERSAL_CODES = ['21', '25', '76', '96'] as const
/** Of 9111.nn, the cents from which the network no longer approves by itself. */
const STAND_IN_FLOOR_CENTS = 50

export const FAULT_AMOUNTS: readonly FaultAmount[] = [
  onRequest('9100.nn', 'answers nn × 100 ms later', (cents) => ({
    kind: 'slow',
    delayMs: cents * CENTS_MS,
  })),
  onRequest(
    '9101.nn',
    'never answers; the amount is held when nn is even, and not when it is odd',
    (cents) => ({ kind: 'silent', applied: cents % 2 === 0 }),
  ),
  onRequest(
    '9102.nn',
    "the amount is held; answers nn × 100 ms after the gateway's time-out (`BANK_TIMEOUT_MS`)",
    (cents) => ({ kind: 'late', delayMs: cents * CENTS_MS }),
  ),
  onRequest('9103.nn', 'answers twice', () => ({ kind: 'twice' })),
  onRequest('9104.nn', 'the amount is held; closes the connection before it answers', () => ({
    kind: 'close',
  })),
  onRequest(
    '9105.nn',
    'the amount is held; closes the connection in the middle of the answer',
    () => ({
      kind: 'torn',
    }),
  ),
  onRequest(
    '9106.nn',
    'the amount is held; answers no further request on this connection, and resets it once 50 ' +
      'others wait, or after a second',
    () => ({ kind: 'reset', others: 50 }),
  ),
  onRequest(
    '9107.nn',
    'the amount is held; the answer has by nn in turn a wrong STAN (00), an amount that is one ' +
      'minor unit too high (01), a bitmap that is none (02), a wrong STAN (03) and so on',
    (cents) => ({ kind: HOST_FAULTS[cents % HOST_FAULTS.length] ?? 'wrong_stan' }),
  ),
  onRequest(
    '9108.nn',
    'looks at the request only after 2 seconds (00), or 2 seconds after the time-out of the ' +
      'gateway (any other nn), whose reversal comes first then: 21',
    (cents) =>
      cents === 0
        ? { kind: 'held_back', delayMs: OVERTAKEN_MS }
        : { kind: 'late_start', delayMs: OVERTAKEN_MS },
  ),
  {
    amount: '9109.nn',
    steps: ['capture', 'refund', 'reversal'],
    meaning:
      'approved; each capture, refund and reversal of the order is booked, but answered only when ' +
      'it is sent for the third time',
    fault: () => ({ kind: 'unacknowledged', tries: 2 }),
  },
  {
    amount: '9110.nn',
    steps: ['reversal'],
    meaning:
      'approved; a reversal is answered by nn in turn with 21 (00) and 25 (01), and done all the ' +
      'same, or with 76 (02) and 96 (03), and not done until it is retried; 21 (04) and so on',
    fault: (cents, isRepeat) => {
      const code = REVERSAL_CODES[cents % REVERSAL_CODES.length] ?? '96'
      const applied = code === '21' || code === '25'
      return isRepeat ? null : { kind: 'code', code, applied }
    },
  },
  onRequest(
    '9111.nn',
    'the issuer is down: for every card, the network approves without it (00 to 49) and notifies ' +
      'it 2 seconds later, or declines with 91 (50 to 99)',
    (cents) => ({ kind: 'stand_in', approves: cents < STAND_IN_FLOOR_CENTS }),
  ),
  {
    amount: '9112.nn',
    steps: ['capture'],
    meaning: 'approved; its captures are taken, and marked to be rejected in the settlement file',
    fault: () => ({ kind: 'settlement_rejection' }),
  },
]

const BY_MAJOR: ReadonlyMap<bigint, FaultAmount> = new Map(
  FAULT_AMOUNTS.map((row) => [BigInt(row.amount.slice(0, 4)), row]),
)

/**
 * The fault of an amount for one step of its order. Only currencies with two decimals have fault
 * amounts. `amount` is that of the order's first message, in minor units.
 */
export function findFault(
  amount: bigint,
  currency: string,
  step: FaultStep,
  isRepeat: boolean,
): Fault | null {
  const row = BY_MAJOR.get(amount / 100n)
  if (row === undefined || !row.steps.includes(step) || decimalsOf(currency) !== 2) return null
  return row.fault(Number(amount % 100n), isRepeat)
}

function onRequest(amount: string, meaning: string, fault: (cents: number) => Fault): FaultAmount {
  return { amount, steps: ['request'], meaning, fault }
}
