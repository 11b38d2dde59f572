import type { CustomerDetails, PostalAddress } from '../../usecases/payments/payment-command.ts'
import { describeParameter } from './parameter-names.ts'
import type { Operation } from './parameters.ts'

type Params = ReadonlyMap<string, string>

/** Customer parameters with a place of their own; the others are kept by name. */
const NAMED = new Set(['CUST_FNAME', 'CUST_LNAME', 'CUST_EMAIL', 'CUST_PHONE', 'XTL_IP'])

export function readCustomer(params: Params): CustomerDetails {
  const others: Record<string, string> = {}
  for (const [name, value] of params) {
    const parameter = describeParameter(name)
    if (parameter?.group !== 'customer' || parameter.use !== 'stores' || NAMED.has(name)) continue
    others[name] = value
  }
  return {
    reference: params.get('XTL_CUST_ID') ?? '',
    firstName: params.get('CUST_FNAME') ?? '',
    lastName: params.get('CUST_LNAME') ?? '',
    email: params.get('CUST_EMAIL') ?? '',
    phone: params.get('CUST_PHONE') ?? '',
    login: params.get('CUST_LOGIN') ?? '',
    ipAddress: params.get('XTL_IP') ?? '',
    others,
  }
}

export function readAddress(params: Params, prefix: 'BILL' | 'SHIP'): PostalAddress {
  const read = (part: string) => params.get(`${prefix}_${part}`) ?? ''
  return {
    street: read('ADDR'),
    street2: read('ADDR2'),
    city: read('ADDR_CITY'),
    state: read('ADDR_STATE'),
    postalCode: read('ADDR_ZIP'),
    country: read('ADDR_COUNTRY').toUpperCase(),
    district: read('ADDR_DISTRICT'),
  }
}

const KEPT_ELSEWHERE = new Set(['customer', 'address', 'line', 'product'])

/** What is kept with the order and shown, but changes nothing, by its wire name. */
export function readExtras(params: Params, operation: Operation): Record<string, string> {
  const extras: Record<string, string> = {}
  for (const [name, value] of params) {
    const parameter = describeParameter(name)
    if (parameter === null || parameter.use !== 'stores') continue
    if (KEPT_ELSEWHERE.has(parameter.group) || !parameter.operations.includes(operation)) continue
    extras[name] = value
  }
  const type = params.get('TRANS_REBILL_TYPE')
  // What the next payment of the subscription may be hangs on it.
  if (type !== undefined && operation !== 'forced_credit')
    extras['TRANS_REBILL_TYPE'] = type.toUpperCase()
  return extras
}
