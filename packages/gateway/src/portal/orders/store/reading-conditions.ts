import { TRANSACTION_STATUSES, type ListName } from '@tollgate/portal-contract/order-columns'
import type { SearchReading } from '@tollgate/portal-contract/search-readings'
import { loggedCardNumber } from '../../../adapters/postgres/audit/logged-parameters.ts'
import { commonAmount, possibleMinors } from '../domain/order-filter.ts'
import {
  actionCondition,
  commonAmountOf,
  ofOrder,
  type Conditions,
  type Values,
} from './list-sql.ts'
import { STATUS } from './row-sql.ts'

/** The condition of a reading on a row, for readings that cannot be narrowed down to few orders. */
export function readingCondition(
  { kind, value, currency }: SearchReading,
  list: ListName,
  conditions: Conditions,
): string {
  const { values, joins } = conditions
  switch (kind) {
    case 'order':
      return `o.id = ${values.add(value)}::bigint`
    case 'transaction':
      return `t.id = ${values.add(value)}::bigint`
    case 'reference':
      return `o.reference like ${values.add(referencePattern(value) ?? plain(value))}`
    case 'request':
      return `t.request_id = ${values.add(value)}::bigint`
    case 'customer':
      return `o.customer_id = ${values.add(value)}::bigint`
    case 'membership':
      return `o.membership_reference = ${values.add(value)}`
    case 'email':
      joins.add('c')
      return `lower(c.email) = ${values.add(value)}`
    case 'name':
      joins.add('c')
      return nameCondition(value, values)
    case 'part':
      joins.add('c')
      return `lower(c.first_name || ' ' || c.last_name) like all(${values.add(
        value.split(' ').map((word) => `%${plain(word)}%`),
      )}::text[])`
    case 'brand':
      joins.add('p')
      return `p.brand = ${values.add(value)}`
    case 'status':
      return statusCondition(value, list, values)
    case 'action':
      return actionCondition(conditions, list, [value])
    case 'last4':
      joins.add('p')
      return `p.last4 = ${values.add(value)}`
    case 'bin':
      joins.add('r')
      return `${loggedCardNumber('r')} like ${values.add(`${value.slice(0, 6)}%`)}`
    case 'amount': {
      const minors = `any(${values.add(possibleMinors(value).map(String))}::bigint[])`
      const of = currency === undefined ? '' : ` and o.currency = ${values.add(currency)}`
      const common = values.add(commonAmount(value))
      const fits = (minor: string): string =>
        `(${minor} = ${minors} and ${commonAmountOf(values, minor)} = ${common}::bigint${of})`
      return list === 'transactions' ? fits('t.amount_minor') : ofOrder(fits('l.amount_minor'))
    }
    case 'token':
      return 'false'
    case 'auth':
      return `o.auth_code = ${values.add(value)}`
    case 'rrn':
      return rrnCondition(value, values)
    case 'network':
      return `o.network_transaction_id = ${values.add(value)}`
  }
}

/**
 * The patterns of a name: as it was typed, and with its first word behind the others. The second
 * one finds Jane Doe by her last name for `jan doe`.
 */
export function namePatterns(name: string): {
  readonly beginning: string
  readonly turned: string
} {
  const [first = '', ...others] = plain(name).split(' ')
  const beginning = `${plain(name)}%`
  return {
    beginning,
    turned: others.length === 0 ? beginning : `${others.join(' ')} ${first}%`,
  }
}

function nameCondition(name: string, values: Values): string {
  const { beginning, turned } = namePatterns(name)
  const typed = values.add(beginning)
  return `(lower(c.last_name || ' ' || c.first_name)
      like any(array[${typed}, ${values.add(turned)}]::text[])
    or lower(c.first_name || ' ' || c.last_name) like ${typed})`
}

/** Order ids that begin so; null for texts so short that they mean something else. */
export function referencePattern(value: string): string | null {
  const least = /^\d+$/.test(value) ? 6 : 4
  return value.length < least ? null : `${plain(value)}%`
}

function plain(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** Last digit of the year, day of the year, hour and STAN, as the bank was sent it. */
function rrnCondition(value: string, values: Values): string {
  const stamp = values.add(value.slice(0, 6))
  const stan = values.add(value.slice(6))
  return `((o.message_number % 999999) + 1 = ${stan}::int
    and right(to_char(o.message_at at time zone 'UTC', 'YYYYDDDHH24'), 6) = ${stamp}
    and t.to_processor)`
}

/** A status that a transaction cannot have is the one of its order. */
function statusCondition(status: string, list: ListName, values: Values): string {
  if (list === 'transactions' && TRANSACTION_STATUSES.includes(status))
    return `t.state = ${values.add(status)}`
  return status === 'approved'
    ? `o.state = 'authorized'`
    : `(${STATUS.orders}) = ${values.add(status)}`
}
