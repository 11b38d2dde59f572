import { generate } from 'selfsigned'

export interface Pair {
  readonly cert: string
  readonly key: string
}

const DAY_MS = 86_400_000
const MANNER = { algorithm: 'sha256', keyType: 'ec', curve: 'P-256' } as const

/** A certificate authority of a test. */
export async function makeAuthority(name: string): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: name }], {
    ...MANNER,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return { cert: made.cert, key: made.private }
}

/** A certificate for client and server, by an authority; it expired yesterday where `expired`. */
export async function makePair(
  authority: Pair,
  name: string,
  {
    host = 'localhost',
    expired = false,
  }: { readonly host?: string; readonly expired?: boolean } = {},
): Promise<Pair> {
  const now = Date.now()
  const made = await generate([{ name: 'commonName', value: name }], {
    ...MANNER,
    notBeforeDate: new Date(now - 10 * DAY_MS),
    notAfterDate: new Date(now + (expired ? -DAY_MS : DAY_MS)),
    ca: { key: authority.key, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: host }] },
    ],
  })
  return { cert: made.cert, key: made.private }
}
