import type { CertificatePair } from '@tollgate/gateway/operator-doctor'
import { isIP } from 'node:net'
import { fault, good, warning, type Finding } from './finding.ts'

const PART = 'certificate'
const DAY_MS = 86_400_000
const WARNING_DAYS = 30

/**
 * Judges the gateway's certificate.
 * @param addresses what browsers reach, by the settings that name it; '' without one
 */
export function judgeCertificate(
  pair: CertificatePair,
  addresses: Readonly<Record<string, string>>,
  now: Date,
): readonly Finding[] {
  const renew = 'Renew it. A running gateway reads the new files by itself.'
  if (pair.kind === 'faulty') {
    return [fault(PART, pair.problem, 'Correct TLS_CERT and TLS_KEY: docs/operators/tls.md.')]
  }
  const { facts } = pair
  if (pair.kind === 'out_of_date') return [fault(PART, pair.problem, renew)]
  const days = Math.floor((facts.validTo.getTime() - now.getTime()) / DAY_MS)
  const valid = `${facts.subject} is valid for ${days} days, until ${facts.validTo.toISOString()}.`
  const validity = days < WARNING_DAYS ? warning(PART, valid, renew) : good(PART, valid)
  const uncovered = Object.entries(addresses).flatMap(([setting, url]) => {
    const host = hostOf(url)
    if (host === null || isCovered(host, facts.names)) return []
    const names = facts.names || 'no name'
    const found = `${setting} names ${host}, and the certificate is for ${names}.`
    return [fault(PART, found, `Get a certificate for this name, or correct ${setting}.`)]
  })
  return [validity, ...uncovered]
}

function hostOf(url: string): string | null {
  return url.startsWith('https:') ? new URL(url).hostname.replace(/^\[|\]$/g, '') : null
}

/** @param names as Node writes them: `DNS:pay.example.com, DNS:*.example.com, IP Address:::1` */
function isCovered(host: string, names: string): boolean {
  return names.split(', ').some((entry) => {
    const [, kind, name = ''] = /^(DNS|IP Address):(.*)$/.exec(entry) ?? []
    if (kind === 'IP Address') return isIP(host) !== 0 && sameAddress(host, name)
    if (kind !== 'DNS' || isIP(host) !== 0) return false
    const [first = '', ...rest] = host.toLowerCase().split('.')
    const pattern = name.toLowerCase()
    return pattern === host.toLowerCase() || (first !== '' && pattern === ['*', ...rest].join('.'))
  })
}

function sameAddress(left: string, right: string): boolean {
  const canonical = (address: string): string =>
    isIP(address) === 6 ? new URL(`http://[${address}]`).hostname : address
  return canonical(left) === canonical(right)
}
