import { X509Certificate, createPrivateKey, randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'

/** A certificate and its private key, as PEM text. */
export interface Credential {
  readonly cert: string
  readonly key: string
}

/** The holders of certificates of the simulated scheme. The names are those of the files. */
const HOLDERS = {
  ds: { name: 'SIM Directory Server', server: true, client: false },
  'ds-client': { name: 'SIM Directory Server client', server: false, client: true },
  acs: { name: 'SIM ACS', server: true, client: false },
  'acs-client': { name: 'SIM ACS client', server: false, client: true },
  // Of the sandbox gateway: for requests to the DS, and for the listener that receives the results.
  'gateway-client': { name: 'SIM 3DS Server', server: true, client: true },
} as const

export type Holder = keyof typeof HOLDERS

/** The common name in a holder's certificate, by which the others recognize it. */
export function commonNameOf(holder: Holder): string {
  return HOLDERS[holder].name
}

export type Certificates = Readonly<Record<Holder, Credential>> & {
  /** The scheme's CA, as PEM text. */
  readonly ca: string
}

const DAY_MS = 24 * 60 * 60 * 1000
const VALID_DAYS = 397
const RENEWED_DAYS_BEFORE = 30

/**
 * The certificates of the simulated scheme in a folder. They are made again unless all of them are
 * there, are the CA's, are for the `hosts`, and stay valid for a while. Only the owner can read the
 * keys.
 */
export async function openCertificates(
  folder: string,
  nowMs: number,
  hosts: readonly string[],
): Promise<Certificates> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const names = [...new Set(['localhost', ...hosts])]
  return (await readAll(folder, nowMs, names)) ?? (await makeAll(folder, nowMs, names))
}

async function readAll(
  folder: string,
  nowMs: number,
  names: readonly string[],
): Promise<Certificates | null> {
  try {
    const ca = await readFile(join(folder, 'ca.pem'), 'utf8')
    const authority = new X509Certificate(ca)
    const holders = {} as Record<Holder, Credential>
    let isGood = lasts(authority, nowMs)
    for (const holder of Object.keys(HOLDERS) as Holder[]) {
      const cert = await readFile(join(folder, `${holder}.pem`), 'utf8')
      const key = await readFile(join(folder, `${holder}.key`), 'utf8')
      const found = new X509Certificate(cert)
      isGood &&= lasts(found, nowMs) && found.verify(authority.publicKey)
      isGood &&= found.checkPrivateKey(createPrivateKey(key))
      isGood &&= names.every((name) => (found.checkHost(name) ?? found.checkIP(name)) !== undefined)
      holders[holder] = { cert, key }
    }
    return isGood ? { ...holders, ca } : null
  } catch {
    return null
  }
}

function lasts({ validFrom, validTo }: X509Certificate, nowMs: number): boolean {
  const isStarted = Date.parse(validFrom) <= nowMs
  return isStarted && Date.parse(validTo) - nowMs > RENEWED_DAYS_BEFORE * DAY_MS
}

async function makeAll(
  folder: string,
  nowMs: number,
  names: readonly string[],
): Promise<Certificates> {
  // It loads 200 modules, and most processes find a certificate in the folder.
  const { generate } = await import('selfsigned')
  const manner = {
    algorithm: 'sha256',
    keyType: 'ec',
    curve: 'P-256',
    notBeforeDate: new Date(nowMs - DAY_MS),
    notAfterDate: new Date(nowMs + VALID_DAYS * DAY_MS),
  } as const
  // A name of its own for each, so that a client never confuses two CAs.
  const authorityName = `SIM 3-D Secure CA ${randomBytes(4).toString('hex')}`
  const authority = await generate([{ name: 'commonName', value: authorityName }], {
    ...manner,
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  const holders = {} as Record<Holder, Credential>
  for (const [holder, { client, name, server }] of Object.entries(HOLDERS)) {
    const made = await generate([{ name: 'commonName', value: name }], {
      ...manner,
      ca: { key: authority.private, cert: authority.cert },
      extensions: [
        { name: 'basicConstraints', cA: false, critical: true },
        { name: 'keyUsage', digitalSignature: true, critical: true },
        { name: 'extKeyUsage', serverAuth: server, clientAuth: client },
        {
          name: 'subjectAltName',
          altNames: [
            ...names.map((value) =>
              isIP(value) === 0 ? ({ type: 2, value } as const) : ({ type: 7, ip: value } as const),
            ),
            { type: 2, value: `${holder.split('-')[0] ?? holder}.localhost` },
            { type: 7, ip: '127.0.0.1' },
            { type: 7, ip: '::1' },
          ],
        },
      ],
    })
    const credential = { cert: made.cert, key: made.private }
    holders[holder as Holder] = credential
    await write(join(folder, `${holder}.pem`), credential.cert)
    await write(join(folder, `${holder}.key`), credential.key)
  }
  // The CA's own key is not kept: another certificate means a new set of all.
  await write(join(folder, 'ca.pem'), authority.cert)
  return { ...holders, ca: authority.cert }
}

/** Written completely or not at all, and readable for the owner only. */
async function write(path: string, text: string): Promise<void> {
  const beside = `${path}.new`
  await writeFile(beside, text, { mode: 0o600 })
  await chmod(beside, 0o600)
  await rename(beside, path)
}
