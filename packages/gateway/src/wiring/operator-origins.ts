import { isIP } from 'node:net'
import { holdsCardSecret, maskText } from '../base/card-masking.ts'
import { isPageOrigin } from '../config/checks.ts'

/** Faults of origins that may read the token service's answers, a sentence each. */
export function originFaults(origins: readonly string[]): string[] {
  const wrong = origins
    .filter((origin) => !isPageOrigin(origin))
    .map(
      (origin) =>
        `${origin} is no origin of a page. Expected * or one such as https://shop.example; plain ` +
        'http:// is taken for this machine only.',
    )
  return [
    ...wrong,
    ...origins.filter(namesCard).map((origin) => `${maskText(origin)} holds a card number.`),
  ]
}

/** Faults of hosts that a return URL may name, a sentence each. */
export function hostFaults(hosts: readonly string[]): string[] {
  return hosts
    .filter((host) => namesCard(`https://${host}`))
    .map((host) => `${maskText(host)} holds a card number.`)
}

/** An origin would be in the database, in logs and in header lines of answers. */
function namesCard(origin: string): boolean {
  const { hostname = '' } = URL.parse(origin) ?? {}
  return isIP(hostname) === 0 && holdsCardSecret(hostname)
}
