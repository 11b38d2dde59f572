import type { CustomerAddress, CustomerView } from '../usecases/customers.ts'

export interface ContactRow {
  readonly first_name: string
  readonly last_name: string
  readonly email: string
  readonly phone: string
  readonly billing: Readonly<Record<string, string>>
  readonly shipping: Readonly<Record<string, string>>
}

/** The contact as it is compared and shown; a part that was never sent is empty. */
export function contactOf(row: ContactRow): CustomerView['contact'] {
  return {
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    phone: row.phone,
    billing: addressOf(row.billing),
    shipping: addressOf(row.shipping),
  }
}

function addressOf(stored: Readonly<Record<string, string>>): CustomerAddress {
  const part = (name: keyof CustomerAddress): string => stored[name] ?? ''
  return {
    street: part('street'),
    street2: part('street2'),
    city: part('city'),
    state: part('state'),
    postalCode: part('postalCode'),
    country: part('country'),
    district: part('district'),
  }
}
