// The parameters of the section's list addresses; others are dropped.

type SearchParameters = Readonly<Record<string, unknown>>

/** Numbers in addresses are read as such; here they are text. */
function text(value: unknown): string | undefined {
  const read = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
  return read === '' ? undefined : read
}

function oneOf<Value extends string>(value: unknown, values: readonly Value[]): Value | undefined {
  return values.find((each) => each === value)
}

function withoutUndefined<Values extends object>(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Values
}

const YES_NO = ['yes', 'no'] as const

export interface CustomersSearch {
  readonly search?: string | undefined
  readonly cards?: 'yes' | 'no' | undefined
  readonly memberships?: 'yes' | 'no' | undefined
  readonly before?: string | undefined
}

export function readCustomersSearch(given: SearchParameters): CustomersSearch {
  return withoutUndefined({
    search: text(given['search']),
    cards: oneOf(given['cards'], YES_NO),
    memberships: oneOf(given['memberships'], YES_NO),
    before: text(given['before']),
  })
}

export interface ProductsSearch {
  readonly search?: string | undefined
}

export function readProductsSearch(given: SearchParameters): ProductsSearch {
  return withoutUndefined({ search: text(given['search']) })
}

export interface MembershipsSearch {
  /** Several with commas between. */
  readonly states?: string | undefined
  readonly product?: string | undefined
  readonly customer?: string | undefined
  /** Days of the merchant's zone, both included. */
  readonly from?: string | undefined
  readonly until?: string | undefined
  readonly order?: 'newest' | 'due' | undefined
  readonly after?: string | undefined
  readonly afterAt?: string | undefined
}

export function readMembershipsSearch(given: SearchParameters): MembershipsSearch {
  return withoutUndefined({
    states: text(given['states']),
    product: text(given['product']),
    customer: text(given['customer']),
    from: text(given['from']),
    until: text(given['until']),
    order: oneOf(given['order'], ['newest', 'due'] as const),
    after: text(given['after']),
    afterAt: text(given['afterAt']),
  })
}
