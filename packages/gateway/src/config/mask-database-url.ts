import { databaseAddresses } from '../base/database-addresses.ts'
import type { Secret } from '../base/secret.ts'

/** The database address with its password hidden, also where it stands in the query. */
export function maskDatabaseUrl(url: Secret): string {
  return databaseAddresses(url.reveal()).map(maskAddress).join(', ')
}

function maskAddress(value: string): string {
  const url = new URL(value)
  if (url.password !== '') url.password = '***'
  for (const name of new Set(url.searchParams.keys())) {
    if (/pass|secret|key/i.test(name)) url.searchParams.set(name, '***')
  }
  return url.toString()
}

/** Whether the address names a password. */
export function hasPassword(url: Secret): boolean {
  return databaseAddresses(url.reveal()).some((address) => new URL(address).password !== '')
}
