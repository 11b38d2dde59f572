import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { Secret } from '../base/secret.ts'

/** Reads and checks the PEM files that a description names. Faults are collected, not thrown. */
export interface PemFiles {
  /**
   * The text of a file with certificates, without private keys; '' for one that cannot be read.
   */
  certificate(name: string, path: string): string
  /** A certificate and its key, named `certFile` and `keyFile` under `at`. */
  pair(at: string, certFile: string, keyFile: string): PemPair
  /** The same for a connection to a server under `ca`; TLS is set up with all three. */
  client(at: string, ca: string, certFile: string, keyFile: string): PemPair
}

export interface PemPair {
  readonly cert: string
  readonly key: Secret
}

/** Gives the text of a named file, or the end of a sentence that says why there is none. */
export type ReadPem = (path: string) => { readonly text: string } | { readonly fault: string }

/** Reads files of this machine; relative paths begin at `folder`. */
export function pemsIn(folder: string): ReadPem {
  return (path) => {
    try {
      return { text: readFileSync(resolve(folder, path), 'utf8') }
    } catch (error) {
      return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
    }
  }
}

/** Takes files from a list that was sent, and none of this machine. */
export function pemsAmong(
  sent: readonly { readonly name: string; readonly text: string }[],
): ReadPem {
  return (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const found = sent.find((file) => file.name === name)
    return found === undefined
      ? { fault: 'is not among the chosen files; choose it too' }
      : { text: found.text }
  }
}

/**
 * @param readPem gives the files
 * @param now no certificate may have expired by then
 * @param faults receives a sentence for each fault that is found
 */
export function createPemFiles(readPem: ReadPem, now: Date, faults: string[]): PemFiles {
  function read(name: string, path: string): string {
    const found = readPem(path)
    if ('text' in found) return found.text
    faults.push(`${name} is ${path}, which ${found.fault}.`)
    return ''
  }

  function certificate(name: string, path: string): string {
    const text = read(name, path)
    // An unreadable file has its fault already.
    if (text === '') return text
    const pem = withoutKeys(text)
    if (pem.includes('PRIVATE KEY')) {
      faults.push(`${name} holds a part of a private key; expected certificates only.`)
      return ''
    }
    try {
      const { validTo } = new X509Certificate(pem)
      if (new Date(validTo) <= now)
        faults.push(`${name} holds a certificate that ended on ${validTo}.`)
    } catch {
      faults.push(`${name} holds no certificate in PEM form.`)
    }
    return pem
  }

  function readPair(at: string, certFile: string, keyFile: string): { cert: string; key: string } {
    const cert = certificate(`${at}.certFile`, certFile)
    const key = read(`${at}.keyFile`, keyFile)
    if (key === '') return { cert, key }
    const parsed = parseKey(key)
    if (parsed === null) {
      faults.push(`${at}.keyFile holds no private key in PEM form, or one under a pass phrase.`)
    } else if (isOfAnother(cert, parsed)) {
      faults.push(`${at}.keyFile holds the key of another certificate than ${at}.certFile.`)
    }
    return { cert, key }
  }

  return {
    certificate,
    pair(at, certFile, keyFile) {
      const { cert, key } = readPair(at, certFile, keyFile)
      return { cert, key: new Secret(key) }
    },
    client(at, ca, certFile, keyFile) {
      const { cert, key } = readPair(at, certFile, keyFile)
      // Texts with a fault fail here for the same reason.
      if (faults.length === 0) checkForTls(at, ca, cert, key)
      return { cert, key: new Secret(key) }
    },
  }

  function checkForTls(at: string, ca: string, cert: string, key: string): void {
    try {
      createSecureContext({ ca, cert, key, minVersion: 'TLSv1.2' })
    } catch (error) {
      const { message } = error as Error
      faults.push(`The certificates of ${at} cannot be used for TLS: ${message}.`)
    }
  }
}

const KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----\s*/g

/** Certificates are stored and shown as they are, and some files have both. */
function withoutKeys(pem: string): string {
  return pem.replaceAll(KEY, '')
}

function parseKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem)
  } catch {
    return null
  }
}

/** False for an unreadable certificate, which has its fault already. */
function isOfAnother(cert: string, key: KeyObject): boolean {
  try {
    return !new X509Certificate(cert).checkPrivateKey(key)
  } catch {
    return false
  }
}
