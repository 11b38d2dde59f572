import { X509Certificate } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A certificate and its private key, both as PEM text. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

const DAY_MS = 24 * 60 * 60 * 1000
/** Browsers and clients refuse server certificates that are good for longer (398 days at most). */
const VALIDITY_DAYS = 397

/**
 * The gateway's own certificate for local use. It stays in the folder, so that clients that trust
 * it go on doing so. It is made again when it is about to expire. Only the owner can read the key.
 */
export async function selfMadeCertificate(folder: string, now: Date): Promise<Certificate> {
  const certPath = join(folder, 'tls-cert.pem')
  const keyPath = join(folder, 'tls-key.pem')
  const kept = readKept(certPath, keyPath, now)
  if (kept !== null) return kept

  // It loads 200 modules, and most processes find a certificate in the folder.
  const { generate } = await import('selfsigned')
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    keyType: 'ec',
    curve: 'P-256',
    notBeforeDate: new Date(now.getTime() - DAY_MS),
    notAfterDate: new Date(now.getTime() + VALIDITY_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(keyPath, made.private, { mode: 0o600 })
  // An existing file keeps its old mode unless it is changed here.
  chmodSync(keyPath, 0o600)
  writeFileSync(certPath, made.cert)
  return { cert: made.cert, key: made.private }
}

function readKept(certPath: string, keyPath: string, now: Date): Certificate | null {
  try {
    const cert = readFileSync(certPath, 'utf8')
    const key = readFileSync(keyPath, 'utf8')
    const leftMs = new Date(new X509Certificate(cert).validTo).getTime() - now.getTime()
    return leftMs > 30 * DAY_MS ? { cert, key } : null
  } catch {
    // Not there yet, or not a certificate any more: either way a new one is made.
    return null
  }
}
