import type { RequiredField } from '../../domain/merchants/account-demands.ts'
import type { Resolved } from './resolve-payment.ts'

/**
 * The fields that an account can require and that a payment states. The security code may have come
 * with the card token.
 */
export function statedFields({
  command,
  cvv,
}: Pick<Resolved, 'command' | 'cvv'>): ReadonlySet<RequiredField> {
  const { billing, customer } = command
  const { stated } = customer
  const isStated: Readonly<Record<RequiredField, boolean>> = {
    security_code: cvv !== null,
    country: billing.country !== '',
    birthday: stated.birthday,
    ssn: stated.ssn,
    address: billing.street !== '',
    city: billing.city !== '',
    state: billing.state !== '',
    postal_code: billing.postalCode !== '',
    phone: customer.phone !== '',
    ip_address: customer.ipAddress !== '',
    tax_number: stated.taxNumber,
    email: customer.email !== '',
    first_name: customer.firstName !== '',
    last_name: customer.lastName !== '',
  }
  const fields = Object.keys(isStated) as RequiredField[]
  return new Set(fields.filter((field) => isStated[field]))
}
