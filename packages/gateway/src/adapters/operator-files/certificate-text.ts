import { X509Certificate } from 'node:crypto'

const ONE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Names the certificates of a PEM text: subject, last day and fingerprint of each. */
export function certificateText(pem: string): string {
  return (pem.match(ONE) ?? []).map(oneText).join('; ')
}

function oneText(pem: string): string {
  const { fingerprint256, subject, validTo } = new X509Certificate(pem)
  const ends = new Date(validTo).toISOString().slice(0, 10)
  const name = subject === undefined ? 'no subject' : subject.replaceAll('\n', ', ')
  return `${name}, ends ${ends}, SHA-256 ${fingerprint256}`
}
