import { holdsCardSecret } from '../../base/card-masking.ts'

const LONGEST_ADDRESS = 254
/** One plain address: no names, lists, comments, quotes, spaces or control characters. */
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const LOCAL = "[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}"
const ADDRESS = new RegExp(`^${LOCAL}@${LABEL}(?:\\.${LABEL})*$`)

/** Whether mail may go to this text: one address, and nothing in it that may be card data. */
export function isMailAddress(text: string): boolean {
  return text.length <= LONGEST_ADDRESS && ADDRESS.test(text) && !holdsCardSecret(text)
}

/** The part behind the @. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
