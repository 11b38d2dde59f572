import type { SearchReading } from '@tollgate/portal-contract/search-readings'
import type pg from 'pg'
import type { ListQuestion, ReadingFound } from '../usecases/order-list.ts'
import {
  findCandidates,
  isMetInList,
  hasNoIndex,
  type Candidates,
  type NarrowLookup,
} from './list-readings.ts'
import { Conditions, filterConditions, fromClause, Values } from './list-sql.ts'
import { readingCondition } from './reading-conditions.ts'

/** The result of the terms: orders by id, and conditions on the way. */
export interface Search {
  /** Whether one of the terms names no order at all. */
  readonly isEmpty: boolean
  /** Whether one of the terms names few orders, so that the list need not be scanned. */
  readonly isNarrow: boolean
  /** Demands every term. */
  addTo(conditions: Conditions): void
  /** The result of each reading, within the filter. */
  count(): Promise<readonly ReadingFound[]>
}

/** One reading of a term; null candidates: more than are looked up by id. */
interface Look {
  readonly reading: SearchReading
  readonly state: 'few' | 'many' | 'met' | 'unasked'
  readonly candidates: readonly Candidates[]
}

const ALL: Search = {
  isEmpty: false,
  isNarrow: false,
  addTo: () => undefined,
  count: () => Promise.resolve([]),
}

/** Looks up every term by the indexes of its readings. */
export async function lookUp(pool: pg.Pool, question: ListQuestion): Promise<Search> {
  const { merchantId, list, terms, whole, filter } = question
  if (whole !== null && (await findCandidates(pool, merchantId, whole))?.length !== 0)
    return lookUp(pool, { ...question, terms: [[whole]], whole: null })
  const narrow = terms.length === 0 ? narrowFilter(filter) : null
  if (narrow !== null) {
    const few = await findCandidates(pool, merchantId, narrow)
    if (few === null) return ALL
    return {
      ...ALL,
      isEmpty: few.length === 0,
      isNarrow: true,
      addTo: (conditions) => conditions.add(idCondition(list, few, conditions.values) ?? 'false'),
    }
  }
  const looked = await Promise.all(terms.map((readings) => lookAt(pool, merchantId, readings)))
  const isNarrow = (looks: readonly Look[]): boolean =>
    looks.every(({ state }) => state === 'few' || state === 'unasked')
  return {
    isEmpty: looked.some(
      (looks) => isNarrow(looks) && looks.every(({ candidates }) => candidates.length === 0),
    ),
    isNarrow: looked.some(isNarrow),
    addTo: (conditions) => addTerms(question, looked, conditions),
    count: () => countWithin(pool, question, looked),
  }
}

/**
 * The readings of one term. A reading without an index costs a scan of the list, so it is left out
 * if another reading of the term found something.
 */
async function lookAt(
  pool: pg.Pool,
  merchantId: bigint,
  readings: readonly SearchReading[],
): Promise<readonly Look[]> {
  const looks = await Promise.all(
    readings.map(async (reading): Promise<Look> => {
      if (isMetInList(reading)) return { reading, state: 'met', candidates: [] }
      if (hasNoIndex(reading)) return { reading, state: 'unasked', candidates: [] }
      const candidates = await findCandidates(pool, merchantId, reading)
      return { reading, state: candidates === null ? 'many' : 'few', candidates: candidates ?? [] }
    }),
  )
  const isFound = looks.some(
    ({ state, candidates }) => state === 'many' || state === 'met' || candidates.length > 0,
  )
  return isFound
    ? looks
    : looks.map((look) => (look.state === 'unasked' ? { ...look, state: 'met' } : look))
}

function addTerms(
  { list }: ListQuestion,
  looked: readonly (readonly Look[])[],
  conditions: Conditions,
): void {
  for (const looks of looked) {
    const any = looks
      .filter(({ state }) => state === 'many' || state === 'met')
      .map(({ reading }) => readingCondition(reading, list, conditions))
    const few = looks.flatMap(({ candidates }) => candidates)
    const ids = idCondition(list, few, conditions.values)
    const all = [...any, ...(ids === null ? [] : [ids])]
    conditions.add(all.length === 0 ? 'false' : `(${all.join(' or ')})`)
  }
}

/** Counts the looked-up orders of each reading that the filter and the other terms let through. */
async function countWithin(
  pool: pg.Pool,
  question: ListQuestion,
  looked: readonly (readonly Look[])[],
): Promise<readonly ReadingFound[]> {
  const looks = looked.flat()
  const isWhole =
    looked.length === 1 && Object.values(question.filter).every((one) => one === undefined)
  const candidates = looks.flatMap((look) => look.candidates)
  const isShown = isWhole ? () => true : await shownOf(pool, question, looked, candidates)
  return looks.map(({ reading, state, candidates: own }) => {
    if (state === 'unasked') return { reading, found: 'unasked' }
    if (state === 'met') return { reading, found: 'walked' }
    if (state === 'many') return { reading, found: isWhole ? 'many' : 'walked' }
    return { reading, found: new Set(own.map(({ orderId }) => orderId).filter(isShown)).size }
  })
}

async function shownOf(
  pool: pg.Pool,
  question: ListQuestion,
  looked: readonly (readonly Look[])[],
  candidates: readonly Candidates[],
): Promise<(orderId: bigint) => boolean> {
  if (candidates.length === 0) return () => false
  const { list } = question
  const conditions = filterConditions(question, new Values())
  conditions.add(idCondition(list, candidates, conditions.values) ?? 'false')
  addTerms(question, looked, conditions)
  const { rows } = await pool.query<{ id: string }>(
    `select distinct o.id ${fromClause(list, conditions.joins)} where ${conditions.text}`,
    conditions.values.list,
  )
  const shown = new Set(rows.map(({ id }) => BigInt(id)))
  return (orderId) => shown.has(orderId)
}

/** A filter that few orders fit, by which they are looked up rather than met. */
function narrowFilter({ customer, card, batch }: ListQuestion['filter']): NarrowLookup | null {
  if (card !== undefined) return { kind: 'card', value: card.toString() }
  if (customer !== undefined) return { kind: 'customer', value: customer.toString() }
  return batch === undefined ? null : { kind: 'batch', value: batch.toString() }
}

/** The rows of few orders; of transactions alone where only those are meant. */
function idCondition(
  list: 'orders' | 'transactions',
  candidates: readonly Candidates[],
  values: Values,
): string | null {
  if (candidates.length === 0) return null
  const ids = (of: readonly bigint[]): string =>
    `any(${values.add([...new Set(of)].map(String))}::bigint[])`
  if (list === 'orders') return `o.id = ${ids(candidates.map(({ orderId }) => orderId))}`
  const transactions = candidates.flatMap(({ transactionId }) => transactionId ?? [])
  const orders = candidates
    .filter(({ transactionId }) => transactionId === null)
    .map(({ orderId }) => orderId)
  const any = [
    ...(transactions.length === 0 ? [] : [`t.id = ${ids(transactions)}`]),
    ...(orders.length === 0 ? [] : [`t.order_id = ${ids(orders)}`]),
  ]
  return any.length === 1 ? (any[0] ?? null) : `(${any.join(' or ')})`
}
