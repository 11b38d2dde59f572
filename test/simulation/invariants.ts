import { DECLINE_REPEATS_MS } from '../../packages/gateway/src/domain/payments/reference-claim.ts'
import { checkMoneyInvariants } from '../../packages/gateway/test/domain/payments/invariants.ts'
import { keyOf } from './bank.ts'
import type { OrderRow, TransactionRow } from './durable-rows.ts'
import { SITE } from './merchant.ts'
import type { Request } from './requests.ts'
import type { World } from './world.ts'

/**
 * The invariants that must hold once everything has come to rest; a sentence for each broken one.
 */
export function brokenInvariants(world: World): string[] {
  const broken = [...world.faults, ...world.bank.faults, ...world.database.brokenConstraints]
  // An unfinished run cannot be compared.
  if (broken.length > 0) return broken
  for (const order of world.store.orders.values()) {
    broken.push(...booksAgree(world, order), ...advicesArrived(world, order))
    if (order.kind === 'unreferenced_credit' || order.state !== 'authorized') continue
    const locked = world.store.readLocked(SITE.id, order.id, world.time())
    if (locked !== null) broken.push(...checkMoneyInvariants(locked.snapshot))
  }
  const keys = new Set([...world.store.orders.values()].map(({ message }) => keyOf(message)))
  for (const key of world.bank.orders.keys()) {
    if (!keys.has(key)) broken.push(`The bank has an order ${key} that the gateway does not know.`)
  }
  const rows = new Map([...world.store.transactions.values()].map((row) => [row.requestId, row]))
  for (const request of world.requests)
    broken.push(...answerIsTrue(world, request, rows.get(request.id)))
  broken.push(...claimsAreUnique(world, rows), ...declinesAnswerRepeats(world, rows))
  broken.push(...keysMoveOnce(world, rows), ...keysAnswerAlike(world), ...batchesAgree(world))
  return broken
}

/** The bank's held, captured and refunded amounts are those of the gateway's order. */
function booksAgree({ bank }: World, order: OrderRow): string[] {
  const there = bank.orders.get(keyOf(order.message))
  const stands = order.state === 'authorized'
  const compared: [string, bigint, bigint][] = [
    ['authorized', stands ? order.authorizedMinor - order.voidedMinor : 0n, there?.approved ?? 0n],
    ['captured', order.capturedMinor, there?.captured ?? 0n],
    ['refunded', order.refundedMinor, there?.refunded ?? 0n],
  ]
  return compared
    .filter(([, ours, theirs]) => ours !== theirs)
    .map(
      ([what, ours, theirs]) =>
        `Order ${order.id} (${order.state}) has ${ours} ${what}, but the bank has ${theirs}.`,
    )
}

/**
 * Each advice is acknowledged, and the bank first received an order's advices in their sequence.
 */
function advicesArrived({ bank }: World, order: OrderRow): string[] {
  const broken: string[] = []
  const met = bank.arrivals.get(keyOf(order.message)) ?? []
  const sent = order.advices.map(({ message }) => keyOf(message))
  if (met.join() !== sent.join()) {
    broken.push(
      `Order ${order.id} queued the advices ${sent.join()}, but the bank met ${met.join()}.`,
    )
  }
  for (const { state, sequence } of order.advices) {
    if (state !== 'acknowledged')
      broken.push(`Advice ${sequence} of order ${order.id} is still queued.`)
  }
  return broken
}

/** Every answer to a client still holds, and a refused request has had no effect. */
function answerIsTrue(
  world: World,
  { id, told }: Request,
  own: TransactionRow | undefined,
): string[] {
  switch (told?.kind) {
    case undefined:
      return [`Request ${id} was never answered.`]
    case 'silence':
    case 'uncertain':
      return []
    case 'refused':
      return own === undefined
        ? []
        : [`Request ${id} was refused, and there is a transaction of it.`]
    case 'unavailable':
      return own !== undefined && world.bank.asked.has(keyOf(own.order.message))
        ? [
            `Request ${id} was told that nothing was accepted, and the bank was asked: ${own.state}.`,
          ]
        : []
    case 'told': {
      // A repeat gets the result of the first request.
      const row = own ?? world.store.transactions.get(told.transactionId)
      if (row === undefined) return [`Request ${id} was told of a transaction that is not there.`]
      if (row.id !== told.transactionId) return [`Request ${id} was told of another's transaction.`]
      if (told.state === 'running') return []
      if (row.state !== told.state)
        return [`Request ${id} was told ${told.state}, and it is ${row.state}.`]
      if (row.valueMinor !== told.minor) {
        return [`Request ${id} was told of ${told.minor}, and it is ${row.valueMinor}.`]
      }
      return []
    }
  }
}

/** Every closed batch agreed with the bank, which counts each capture and refund in its batch. */
function batchesAgree({ bank, store }: World): string[] {
  const broken: string[] = []
  for (const { differences, id, state } of store.batches.rows.values()) {
    if (state === 'open' || state === 'agreed' || state === 'none') continue
    broken.push(`Batch ${id} is ${state}, with ${differences.length} rows that differ.`)
  }
  for (const { id, order } of store.transactions.values()) {
    const row = store.transactions.get(id)
    for (const { kind, message, transactionId } of order.advices) {
      if (kind === 'reversal' || transactionId !== id || row === undefined) continue
      const there = bank.batchOf(keyOf(message))
      if (there !== row.batchId) {
        broken.push(`Transaction ${id} is in batch ${row.batchId}, and at the bank in ${there}.`)
      }
    }
  }
  return broken
}

/** Of the requests of one key, one at most becomes a transaction. */
function keysMoveOnce({ requests }: World, rows: ReadonlyMap<bigint, TransactionRow>): string[] {
  const moved = new Map<string, number>()
  for (const { id, what } of requests) {
    if (what.key !== '' && rows.has(id)) moved.set(what.key, (moved.get(what.key) ?? 0) + 1)
  }
  return [...moved]
    .filter(([, count]) => count > 1)
    .map(([key, count]) => `${count} requests of the key ${key} became transactions.`)
}

/** All answers to the requests of one key are about one transaction. */
function keysAnswerAlike({ requests }: World): string[] {
  const answered = new Map<string, Set<bigint>>()
  for (const { told, what } of requests) {
    if (what.key === '' || told?.kind !== 'told') continue
    const ids = answered.get(what.key) ?? new Set()
    answered.set(what.key, ids.add(told.transactionId))
  }
  return [...answered]
    .filter(([, { size }]) => size > 1)
    .map(([key, { size }]) => `Requests of the key ${key} were answered with ${size} transactions.`)
}

/** A repeat in mode 2 within two minutes of a decline does not become an attempt of its own. */
function declinesAnswerRepeats(
  { requests }: World,
  rows: ReadonlyMap<bigint, TransactionRow>,
): string[] {
  const attempts = requests.flatMap(({ id, what }) => {
    const row = rows.get(id)
    return row !== undefined && 'duplicates' in what && what.duplicates === 'replay' ? [row] : []
  })
  const declined = attempts.filter(({ state }) => state === 'declined')
  return declined.flatMap(({ id, order, endedAt }) =>
    attempts
      .filter((later) => {
        if (later.order.reference !== order.reference || endedAt === null) return false
        const afterMs = later.createdAt.getTime() - endedAt.getTime()
        return later.id !== id && afterMs >= 0 && afterMs < DECLINE_REPEATS_MS
      })
      .map((later) => `Transaction ${later.id} repeats ${id}, which had just been declined.`),
  )
}

/**
 * At most one of the requests that claim a reference is approved. An approval or a decline keeps
 * it.
 */
function claimsAreUnique(world: World, rows: ReadonlyMap<bigint, TransactionRow>): string[] {
  const approvals = new Map<string, number>()
  for (const { id, what } of world.requests) {
    if (!('duplicates' in what) || what.duplicates === 'allow' || what.reference === '') continue
    if (rows.get(id)?.state !== 'approved') continue
    approvals.set(what.reference, (approvals.get(what.reference) ?? 0) + 1)
  }
  const broken = [...approvals]
    .filter(([, count]) => count > 1)
    .map(([reference, count]) => `${count} requests that claimed ${reference} were approved.`)
  for (const [key, { state, transactionId }] of world.store.claims) {
    const row = world.store.transactions.get(transactionId)
    if (state !== 'running' && row?.state === state) continue
    broken.push(`The claim of ${key} is ${state}, and its transaction ${row?.state ?? 'gone'}.`)
  }
  return broken
}
