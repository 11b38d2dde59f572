import { Batches, totalsOf } from '../../packages/bank/src/books/batches.ts'
import type { Movement } from '../../packages/bank/src/books/order.ts'
import { Settlements } from '../../packages/bank/src/books/settlements.ts'
import { Balance } from '../../packages/bank/src/issuer/balance.ts'

const CAPTURES = 100_000
const MERCHANT = 'MERCHANT0001'
const BATCH = '501'
const CURRENCY = '840'
const DAY = '2026-11-28'

/** How long a 0500 of 100,000 captures stops all other answers, in milliseconds, several times. */
export function timeBankClose(times: number): number[] {
  return Array.from({ length: times }, () => {
    const batches = new Batches()
    const settlements = new Settlements()
    fill(batches, settlements)
    const started = performance.now()
    totalsOf(batches.find(MERCHANT, BATCH, CURRENCY))
    settlements.waitBatch(batches.close(MERCHANT, BATCH, CURRENCY, DAY), `${DAY}T12:00:00.000Z`)
    return performance.now() - started
  })
}

function fill(batches: Batches, settlements: Settlements): void {
  const balance = new Balance('account', '1111', CURRENCY)
  for (let at = 0; at < CAPTURES; at += 1) {
    const key = `400001/TERM${at % 9}/${at}/1128120000`
    const movement = aCapture(key, balance, at)
    const batch = batches.put(key, movement, BATCH, DAY)
    if (batch !== null) settlements.expect(batch, movement)
  }
}

function aCapture(key: string, balance: Balance, at: number): Movement {
  const amount = BigInt(100 + at)
  const sums = { authorized: amount, approved: amount, captured: amount, refunded: 0n }
  const order = { kind: 'auth', offset: at, balance, merchant: MERCHANT, conversion: '' } as const
  return {
    kind: 'capture',
    offset: at,
    balance,
    merchant: MERCHANT,
    order: { ...order, ...sums, reversed: false },
    rejectedInSettlement: false,
    brand: at % 2 === 0 ? 'VISA' : 'MASTERCARD',
    key,
    orderKey: key,
    rrn: '',
    amount,
    voided: 0n,
    batch: '',
    file: 0,
    line: 0,
    settled: 0n,
  }
}
