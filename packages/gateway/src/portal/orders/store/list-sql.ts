import type { ListName } from '@tollgate/portal-contract/order-columns'
import { CLOCKED_SITES } from '../../../adapters/postgres/clocks/site-clock-rows.ts'
import { OUTCOME } from '../../../adapters/postgres/payments/counted-payments.ts'
import {
  commonAmount,
  commonFactor,
  ODD_CURRENCIES,
  type ListFilter,
} from '../domain/order-filter.ts'
import type { ListCursor, ListQuestion } from '../usecases/order-list.ts'
import { ACTION, BATCH, DRIVER, INITIATOR, kindOf, STATUS, THREE_DS } from './row-sql.ts'

/** Collects the values of a statement; each gets its number. */
export class Values {
  readonly list: unknown[] = []

  /** `$3`. */
  add(value: unknown): string {
    return `$${this.list.push(typeof value === 'bigint' ? value.toString() : value)}`
  }
}

/** The tables that can be joined to a row, and by which key; each finds at most one row. */
const JOINS = {
  p: { table: 'payment_methods', key: 'p.id = o.payment_method_id' },
  c: { table: 'customers', key: 'c.id = o.customer_id' },
  a: { table: 'three_ds_authentications', key: 'a.transaction_id = t.id' },
  r: { table: 'requests', key: 'r.id = t.request_id' },
  m: { table: 'membership_charges', key: 'm.transaction_id = t.id' },
  s: { table: 'sites', key: 's.id = o.site_id' },
} as const

export type Join = keyof typeof JOINS

export const ALL_JOINS: ReadonlySet<Join> = new Set(Object.keys(JOINS) as Join[])

/** The transaction that began the order. */
const FIRST_TRANSACTION = `left join lateral (select f.* from transactions f
       where f.order_id = o.id and f.kind in ('authorization', 'sale', 'refund')
       order by f.created_at, f.id limit 1) t on true`

/** From the list's table, or from some of its rows. */
export function fromClause(list: ListName, joins: ReadonlySet<Join>, rows: string = list): string {
  return [
    `from ${rows} ${DRIVER[list]}`,
    list === 'orders' ? FIRST_TRANSACTION : 'join orders o on o.id = t.order_id',
    ...[...joins].map((join) => `left join ${JOINS[join].table} ${join} on ${JOINS[join].key}`),
  ].join('\n')
}

/** From some rows of the list's table that fit these conditions, row by row. */
export function fromFitting(list: ListName, rows: string, conditions: Conditions): string {
  const { joins, text } = conditions
  const rest =
    list === 'orders'
      ? names(conditions, 't') && FIRST_TRANSACTION
      : names(conditions, 'o') && `join ${byKey('orders', 'o', 'o.id = t.order_id')}`
  return [
    `from ${rows} ${DRIVER[list]}`,
    ...(rest === false ? [] : [rest]),
    ...[...joins].map((join) => `left join ${byKey(JOINS[join].table, join, JOINS[join].key)}`),
    `where ${text}`,
  ].join('\n')
}

/** Whether conditions, or the tables that they read, name an order or a transaction. */
export function names({ joins, text }: Conditions, row: 'o' | 't'): boolean {
  const keys = [...joins].map((join) => JOINS[join].key)
  return [text, ...keys].some((each) => new RegExp(`\\b${row}\\.`).test(each))
}

/**
 * Joins the row of a table that a listed row names. With `offset 0` the database does not scan
 * that table for a condition that seems to fit few rows, such as a part of a name.
 */
function byKey(table: string, name: string, key: string): string {
  return `lateral (select * from ${table} ${name} where ${key} offset 0) ${name} on true`
}

/** Conditions that belong together, and what they need joined. */
export class Conditions {
  readonly texts: string[] = []
  readonly joins = new Set<Join>()
  readonly values: Values

  constructor(values: Values) {
    this.values = values
  }

  add(text: string, ...joins: readonly Join[]): void {
    this.texts.push(text)
    for (const join of joins) this.joins.add(join)
  }

  get text(): string {
    return this.texts.join('\n  and ')
  }
}

/** Everything that a filter demands; the merchant first. */
export function filterConditions(
  { merchantId, list, filter }: ListQuestion,
  values: Values,
): Conditions {
  const conditions = new Conditions(values)
  const driver = DRIVER[list]
  const oneOf = (
    expression: string,
    wanted: readonly unknown[] | undefined,
    type: string,
    ...joins: readonly Join[]
  ): void => {
    if (wanted !== undefined && wanted.length > 0)
      conditions.add(`${expression} = any(${values.add(wanted)}::${type}[])`, ...joins)
  }
  conditions.add(`${driver}.merchant_id = ${values.add(merchantId)}`)
  if (filter.within !== undefined) {
    const { from, until } = filter.within
    conditions.add(`${driver}.created_at >= ${values.add(from)}::timestamptz`)
    conditions.add(`${driver}.created_at < ${values.add(until)}::timestamptz`)
  }
  if (filter.site === 'unclocked') conditions.add(`o.site_id <> all (${CLOCKED_SITES})`)
  else if (filter.site !== undefined) conditions.add(`o.site_id = ${values.add(filter.site)}`)
  if (filter.account !== undefined)
    conditions.add(`o.merchant_account_id = ${values.add(filter.account)}`)
  if (filter.customer !== undefined)
    conditions.add(`o.customer_id = ${values.add(filter.customer)}`)
  if (filter.card !== undefined) conditions.add(`o.payment_method_id = ${values.add(filter.card)}`)
  oneOf('o.currency', filter.currency, 'text')
  oneOf(`(${STATUS[list]})`, filter.status, 'text')
  addActions(conditions, list, filter)
  oneOf('p.brand', filter.brand, 'text', 'p')
  oneOf('t.avs_code', filter.avs, 'text')
  oneOf('t.cvv_code', filter.cvv, 'text')
  oneOf(
    `(${THREE_DS})`,
    filter.threeDs?.map((status) => (status === 'none' ? '' : status)),
    'text',
    'a',
  )
  oneOf('t.service_code', filter.reason, 'int')
  oneOf(`(${OUTCOME})`, filter.counted, 'text')
  oneOf(`(${INITIATOR})`, filter.initiator, 'text', 'r', 'm')
  if (filter.user !== undefined) conditions.add(`r.username = ${values.add(filter.user)}`, 'r')
  addAmounts(conditions, list, filter)
  if (filter.settled !== undefined) {
    const month = `${values.add(`${filter.settled}-01`)}::date`
    conditions.add(`coalesce((select true from settled_transactions x
      where x.transaction_id = t.id and x.state = 'settled' and x.settled_on >= ${month}
        and x.settled_on < ${month} + interval '1 month'), false)`)
  }
  if (filter.batch !== undefined) {
    const batch = values.add(filter.batch)
    conditions.add(
      list === 'transactions'
        ? `(${BATCH}) = ${batch}`
        : ofOrder(
            `l.batch_id = ${batch} and l.kind in ('sale', 'capture', 'refund') and l.state = 'approved'`,
          ),
    )
  }
  return conditions
}

/**
 * Whether a transaction `l` of the order is like that. Not by `exists`: that may be turned into one
 * look at the whole table, for all orders at once.
 */
export function ofOrder(condition: string): string {
  return `coalesce((select true from transactions l where l.order_id = o.id and ${condition} limit 1), false)`
}

/** An order is found by what was done to it too: captured, voided, refunded. */
function addActions(conditions: Conditions, list: ListName, { action }: ListFilter): void {
  if (action === undefined || action.length === 0) return
  conditions.add(actionCondition(conditions, list, action))
}

/** Whether a row is of one of the actions, or an order had one of them done to it. */
export function actionCondition(
  { values, joins }: Conditions,
  list: ListName,
  actions: readonly string[],
): string {
  joins.add('m')
  const wanted = values.add(actions)
  const own = `(${ACTION}) = any(${wanted}::text[])`
  return list === 'transactions'
    ? own
    : `(${own} or ${ofOrder(`l.kind in ('capture', 'void', 'capture_void', 'refund') and l.state = 'approved' and (${kindOf('l')}) = any(${wanted}::text[])`)})`
}

function addAmounts(conditions: Conditions, list: ListName, { min, max }: ListFilter): void {
  if (min === undefined && max === undefined) return
  const amount = commonAmountOf(
    conditions.values,
    list === 'orders' ? 'o.requested_minor' : 't.amount_minor',
  )
  if (min !== undefined)
    conditions.add(`${amount} >= ${conditions.values.add(commonAmount(min))}::bigint`)
  if (max !== undefined)
    conditions.add(`${amount} <= ${conditions.values.add(commonAmount(max))}::bigint`)
}

/** An amount in ten-thousandths, for any number of the currency's decimals. */
export function commonAmountOf(values: Values, minor: string): string {
  const odd = ODD_CURRENCIES.map(
    ([digits, codes]) =>
      `when o.currency = any(${values.add(codes)}::text[]) then ${commonFactor(digits)}`,
  )
  return `${minor} * case ${odd.join(' ')} else ${commonFactor(2)} end`
}

/** In which sequence rows come, and those behind the cursor alone. */
export function order(list: ListName, oldestFirst: boolean): string {
  const driver = DRIVER[list]
  const direction = oldestFirst ? 'asc' : 'desc'
  return `order by ${driver}.created_at ${direction}, ${driver}.id ${direction}`
}

/** `sign` between a row's place and that of the cursor. */
export function place(
  list: ListName,
  sign: string,
  { micros, id }: ListCursor,
  values: Values,
): string {
  const driver = DRIVER[list]
  return `(${driver}.created_at, ${driver}.id) ${sign}
    (timestamptz 'epoch' + ${values.add(micros)}::bigint * interval '1 microsecond', ${values.add(id)}::bigint)`
}
