import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Certificate } from './certificate.ts'
import { TLS_POLICY } from './tls-policy.ts'

export interface CertificateFiles {
  /** PEM: the server's own certificate first, then those that lead to the root. */
  readonly certFile: string
  /** PEM, without a passphrase. */
  readonly keyFile: string
}

/** The content of the two files, or a whole sentence that states what is wrong with them. */
export type CertificatePair =
  | { readonly kind: 'good'; readonly certificate: Certificate; readonly facts: CertificateFacts }
  /** It fits and could be served, but clients refuse it at this time. */
  | {
      readonly kind: 'out_of_date'
      readonly certificate: Certificate
      readonly facts: CertificateFacts
      readonly problem: string
    }
  | { readonly kind: 'faulty'; readonly problem: string }

export interface CertificateFacts {
  readonly subject: string
  readonly names: string
  readonly issuer: string
  readonly validFrom: Date
  readonly validTo: Date
  /** How many certificates are sent along with it. */
  readonly intermediates: number
}

/** Reads both files and looks whether a server could use them. Never throws. */
export async function readCertificatePair(
  { certFile, keyFile }: CertificateFiles,
  now: Date,
): Promise<CertificatePair> {
  try {
    const [cert, key] = await Promise.all([
      readText('TLS_CERT', certFile),
      readText('TLS_KEY', keyFile),
    ])
    return judge({ cert, key }, { certFile, keyFile }, now)
  } catch (error) {
    if (error instanceof PairFault) return { kind: 'faulty', problem: error.message }
    throw error
  }
}

class PairFault extends Error {}

async function readText(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new PairFault(
      `The file that ${setting} names cannot be read (${code}): ${path}. Expected a PEM file ` +
        'that this user may read; correct the path or its rights.',
    )
  }
}

function judge(
  certificate: Certificate,
  { certFile, keyFile }: CertificateFiles,
  now: Date,
): CertificatePair {
  const [own, ...others] = parseChain(certificate.cert, certFile)
  if (own === undefined) {
    throw new PairFault(
      `TLS_CERT is ${certFile}, which holds no certificate. Expected PEM text with the server's ` +
        'certificate first and its intermediates after it.',
    )
  }
  const key = parseKey(certificate.key, keyFile)
  if (!own.checkPrivateKey(key)) {
    const place = others.findIndex((other) => other.checkPrivateKey(key))
    throw new PairFault(
      place >= 0
        ? `TLS_KEY is ${keyFile}, the key of certificate ${place + 2} in ${certFile}. The server's ` +
            'own certificate must stand first there.'
        : `TLS_KEY is ${keyFile}, which does not fit the certificate in ${certFile} ` +
            `(${named(own)}). Expected the key that this certificate was made for.`,
    )
  }
  try {
    createSecureContext({ ...TLS_POLICY, ...certificate })
  } catch (error) {
    throw new PairFault(
      `The certificate in ${certFile} cannot be used for TLS: ` +
        `${error instanceof Error ? error.message : String(error)}. Expected an EC key, or an RSA ` +
        'key of 2048 bits or more, signed with SHA-256 or better.',
    )
  }
  const facts: CertificateFacts = {
    subject: named(own),
    names: own.subjectAltName ?? '',
    issuer: oneLine(own.issuer),
    validFrom: own.validFromDate,
    validTo: own.validToDate,
    intermediates: others.length,
  }
  const problem = outOfDate(facts, certFile, now)
  if (problem !== null) return { kind: 'out_of_date', certificate, facts, problem }
  return { kind: 'good', certificate, facts }
}

function outOfDate(
  { validFrom, validTo }: CertificateFacts,
  file: string,
  now: Date,
): string | null {
  const expected = 'Expected one that is good now: renew it, or correct the clock of this machine.'
  if (validTo <= now) {
    return `The certificate in ${file} ran out on ${validTo.toISOString()}. ${expected}`
  }
  if (validFrom > now) {
    return `The certificate in ${file} is good from ${validFrom.toISOString()} on only. ${expected}`
  }
  return null
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

function parseChain(text: string, file: string): X509Certificate[] {
  const begun = text.split('-----BEGIN CERTIFICATE-----').length - 1
  const blocks = text.match(PEM_CERTIFICATE) ?? []
  if (blocks.length < begun) {
    throw new PairFault(`TLS_CERT is ${file}, whose certificate ${blocks.length + 1} is cut off.`)
  }
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block)
    } catch {
      throw new PairFault(`TLS_CERT is ${file}, whose certificate ${index + 1} cannot be read.`)
    }
  })
}

function parseKey(text: string, file: string): KeyObject {
  if (text.includes('ENCRYPTED')) {
    throw new PairFault(
      `TLS_KEY is ${file}, a key with a passphrase. Expected one without: protect it by the ` +
        "file's rights.",
    )
  }
  try {
    return createPrivateKey(text)
  } catch {
    // The parser's message may repeat what it read.
    throw new PairFault(`TLS_KEY is ${file}, which holds no private key that can be read.`)
  }
}

function named(certificate: X509Certificate): string {
  return oneLine(certificate.subject) || (certificate.subjectAltName ?? 'no name')
}

function oneLine(name: string | undefined): string {
  return (name ?? '').split('\n').join(', ')
}
